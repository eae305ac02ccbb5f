//! The runtime as a whole, on a device: what fails is an error, and only a lost device stays lost.

use thalweg_core::bits::{Array, Bits};
use thalweg_core::{Coding, DeviceErrorKind, Error, Order, Pairs, PositionsMut, Result};

use super::context::Options;
use super::kernel::Source;
use super::recorder::Recorder;
use crate::{ansv, list, primitives, rmq, testing, tree};

#[track_caller]
fn lost<T: std::fmt::Debug>(result: Result<T>) {
    assert_eq!(result.as_ref().err().and_then(Error::device_kind), Some(DeviceErrorKind::Lost), "{result:?}");
}

#[test]
fn a_lost_device_is_an_error_everywhere() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
    let array = device.upload(&[3u32, 1, 2]).unwrap();
    let mut out = array.duplicate().unwrap();
    let index = rmq::DeviceRmq::new(array.clone()).unwrap();
    let keys = [3u32, 1, 2];
    let coding = Coding::of::<u32>(Order::Min);
    let with_array = rmq::build(&device, Bits::of(&keys), coding, rmq::Engine::default()).unwrap();
    let with_array = with_array.with_array(Array::of::<u32>(&keys[..]));
    let parents = [0u32, 0, 1];
    let ancestors = tree::Lca::new(&device.upload(&parents).unwrap()).unwrap().with_parents(&parents).unwrap();
    assert!(device.is_alive());
    let queries = device.upload(&[0u32, 2]).unwrap();
    let commands = device.record();

    device.context().raw.destroy();
    lost(device.wait());
    lost(commands.submit());
    lost(device.upload(&[1u8]));
    lost(device.allocate::<f64>(10));
    lost(array.to_vec());
    lost(array.duplicate());
    lost(primitives::reduce(&array, primitives::Op::Min));
    lost(primitives::inclusive_scan_into(&array, &mut out, primitives::Op::Sum));
    lost(primitives::sort(&mut out));
    lost(ansv::solve(&array, ansv::Relation::Smaller, ansv::Engine::Tiles));
    lost(list::rank(&array, &list::Options::default()));
    lost(index.positions_of_slice(&[[0u32, 2]], &mut [0]));
    lost(index.positions(&queries, &device_answer(&out)));
    // Single queries are answered from what the host has.
    lost(with_array.try_position(0, 2));
    lost(with_array.try_value(0, 2));
    lost(with_array.positions(Pairs::U32(&[[0, 2]]), PositionsMut::U32(&mut [0])));
    assert_eq!((with_array.position(0, 2), with_array.value(0, 2)), (1, Some(1)));
    lost(ancestors.try_ask(0, 2));
    assert_eq!((ancestors.ask(0, 2), ancestors.ask(2, 2)), (Some(0), Some(2)));
    assert!(!device.is_alive());
    lost(device.timed(|| array.to_vec()));
    lost(crate::measure(&device, 1 << 20));
}

/// Where there is Vulkan, as on every Linux.
#[cfg(target_os = "linux")]
#[test]
fn large_buffers_have_memory_of_their_own() {
    use super::vulkan::allocate;
    let Some(device) = testing::open(Options::default()) else { return };
    let raw = &device.context().raw;
    assert!(allocate(raw, 1 << 12, "small").is_none());
    assert_eq!(allocate(raw, (2 << 20) + 4, "large").unwrap().size(), (2 << 20) + 4);
    // Two at a time are not one.
    let keys: [Vec<u32>; 2] = [1, 3].map(|step| (0..1 << 20).map(|i| step * i).collect());
    let [a, b] = keys.each_ref().map(|keys| device.upload(keys).unwrap());
    assert!(a.to_vec().unwrap() == keys[0] && b.to_vec().unwrap() == keys[1]);
}

#[test]
fn a_kernel_is_made_once() {
    let Some(device) = testing::open(Options::default()) else { return };
    const TEXT: &str = "struct Params { count: u32 }
        @compute @workgroup_size(1) fn main() { out_put(0u, A + params.count); }\n";
    let source = || Source::new("test", TEXT, "main").writes("out", "u32");
    let ask = |source: Source| device.kernel(&source).unwrap();
    let kernel = ask(source().constant("A", 1));
    let same = |other| std::sync::Arc::ptr_eq(&kernel, &other);
    assert!(same(ask(source().constant("A", 1))));
    // Another source of the same text.
    assert!(same(ask(source().include("const A = 1u;\n"))));
    assert!(!same(ask(source().constant("A", 2))));
    let out = device.words(1, "test").unwrap();
    for (a, count) in [(2, 5), (1, 3), (2, 7)] {
        let mut commands = device.record();
        commands.dispatch(&ask(source().constant("A", a)), 1, &[out.all()], &[count]).unwrap();
        commands.submit().unwrap();
        assert_eq!(crate::transfer::read_word(&device, &out, 0).unwrap(), a + count);
    }
}

/// An array for one answer: there is no making one any more.
fn device_answer(array: &crate::DeviceArray<u32>) -> crate::DeviceArray<u32> {
    let mut array = array.clone();
    array.truncate(1);
    array
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error_and_the_device_goes_on() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
    let wrong = [
        Source::new("wrong", "struct Params { count: u32 } nonsense", "main"),
        Source::new("wrong", "struct Params { count: u32 }", "main"),
        Source::new("wrong", "struct Params { count: u32 } @unroll for (;;) {}", "main"),
    ];
    for source in wrong {
        // Twice: one that has failed is compiled again, and fails again.
        for _ in 0..2 {
            let mut commands = device.record();
            let run = device.kernel(&source).and_then(|kernel| commands.dispatch(&kernel, 1, &[], &[0]));
            let e = run.and_then(|()| commands.submit().map(drop)).unwrap_err();
            assert!(e.to_string().contains("kernel wrong.main: "), "{e}");
        }
    }
    assert_eq!(device.upload(&[1u8, 2]).unwrap().to_vec().unwrap(), [1, 2]);
}

#[test]
fn copies_of_foreign_buffers_and_onto_themselves_are_refused() {
    let options = Options { checked: true, binding_bytes: None };
    let (Some(device), Some(other)) = (testing::open(options), testing::open(options)) else { return };
    let (a, b) = (device.words(4, "a").unwrap(), device.words(4, "b").unwrap());
    let foreign = other.words(4, "foreign").unwrap();
    let refused = |record: &dyn Fn(&mut Recorder<'_>)| {
        let mut commands = device.record();
        record(&mut commands);
        // What comes later does not hide it.
        commands.copy((&a, 0), (&b, 0), 16);
        let kind = commands.submit().err().and_then(|e| e.device_kind());
        assert_eq!(kind, Some(DeviceErrorKind::Misuse));
        device.wait().unwrap();
    };
    refused(&|commands| commands.copy((&a, 0), (&a, 8), 8));
    refused(&|commands| commands.copy((&foreign, 0), (&a, 0), 8));
    refused(&|commands| commands.copy((&a, 0), (&foreign, 0), 8));
    refused(&|commands| commands.clear(&foreign, 16));
}

#[test]
fn what_copies_go_through_is_not_trimmed() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
    let kept = || device.context().pool.len();
    drop(device.upload(&[7u32; 64]).unwrap());
    let before = kept();
    device.trim();
    assert!(0 < kept() && kept() < before, "{} of {before}", kept());
    let taken = device.upload(&[7u32; 64]).unwrap();
    assert_eq!(taken.to_vec().unwrap(), [7; 64]);
}

#[test]
fn what_is_held_is_kept() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: None }) else { return };
    let lay_aside = || drop((0..300).map(|_| device.words(64, "small").unwrap()).collect::<Vec<_>>());
    let kept = || device.context().pool.len();
    lay_aside();
    assert_eq!(kept(), 256);
    let hold = device.hold();
    let inner = device.hold();
    lay_aside();
    assert_eq!(kept(), 300);
    drop(inner);
    assert_eq!(kept(), 300);
    drop(hold);
    assert_eq!(kept(), 256);
}
