//! Elements in order on the device: the smallest of many ranges, and those that are not above a threshold.

use thalweg_arrays::Rmq;
use thalweg_core::bits::Array;
use thalweg_core::{Chosen, Error, Key, Order, Position};
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_gpu::rmq::{DeviceRmq, Engine};
use thalweg_gpu::{Device, Options, testing};
use thalweg_suites::in_order::batches;

/// Around a node of the first, the second and the third layer.
const SIZES: &[usize] = &[0, 1, 2, 31, 32, 33, 64, 1023, 1024, 1025, 1057, 5003, 33_003];

fn built<'a, K: Key>(device: &Device, array: &'a [K], order: Order, tile: usize) -> Rmq<'a, K> {
    let rmq = DeviceRmq::with_engine(device.upload(array).unwrap(), order, Engine::default()).unwrap().with_tile(tile);
    let chosen = Chosen::on_device(device.name(), rmq.engine(), "a test");
    Rmq::from_engine(rmq.into_index().with_array(Array::of::<K>(array)), order, chosen)
}

#[test]
fn batches_of_every_type() {
    let Some(device) = testing::device() else { return };
    macro_rules! one {
        ($t:ident) => {
            batches::<$t>(SIZES, 23, |array, order| built(&device, array, order, 1 << 22));
        };
    }
    thalweg_core::for_each_key!(one);
}

/// Rounds of few ranges, and of parts of a range.
#[test]
fn batches_in_many_rounds() {
    let Some(device) = testing::device() else { return };
    batches::<f32>(&[33, 1025, 2003], 4, |array, order| built(&device, array, order, 2));
    batches::<i64>(&[64, 1057], 6, |array, order| built(&device, array, order, 3));
}

/// 256 KiB a binding: array, layers, ranges, nodes and answers take several buffers each.
#[test]
fn batches_in_many_buffers() {
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 18) }) else { return };
    fn check<K: Key, P: Position>(device: &Device, kind: ArrayKind, n: usize, count: usize, each: usize) {
        let array = kind.make::<K>(n, 3);
        for order in [Order::Min, Order::Max] {
            let (rmq, host) = (built(device, &array, order, 1 << 22), host(&array, order));
            let queries = QueryKind::Mixed.make::<P>(n, count, 5);
            let (mut got, mut want) = (vec![P::default(); each * count], vec![P::default(); each * count]);
            rmq.smallest_each(&queries, each, &mut got).unwrap();
            host.smallest_each(&queries, each, &mut want).unwrap();
            assert!(got == want, "{} {} {order:?}", K::NAME, kind.name());
            let thresholds: Vec<K> = (0..queries.len()).map(|row| array[row * 7919 % n]).collect();
            assert_eq!(
                rmq.below_each(&queries[..30], &thresholds[..30]),
                host.below_each(&queries[..30], &thresholds[..30])
            );
            let low = array[host.smallest(..).unwrap().nth(n / 100).unwrap()];
            assert_eq!(rmq.below_each(&queries, &[low]), host.below_each(&queries, &[low]));
        }
    }
    check::<f32, u32>(&device, ArrayKind::Special, 100_003, 12_001, 7);
    check::<u64, u64>(&device, ArrayKind::Random, 70_011, 300, 31);
}

fn host<K: Key>(array: &[K], order: Order) -> Rmq<'_, K> {
    Rmq::with_engine(array, order, Default::default()).unwrap()
}

/// Few and many of each range, where all are equal, and where they ascend and descend: as many candidates as there can be.
#[test]
fn as_many_as_are_asked_for() {
    let Some(device) = testing::device() else { return };
    for kind in [ArrayKind::Constant, ArrayKind::Sorted, ArrayKind::Reverse, ArrayKind::Random] {
        let array = kind.make::<i32>(3_001, 3);
        let (rmq, host) = (built(&device, &array, Order::Min, 1 << 22), host(&array, Order::Min));
        for each in [6, 7, 14, 15, 30, 31, 1_000, 4_000] {
            let queries = QueryKind::Mixed.make::<u32>(array.len(), 20, each as u64);
            for queries in [&queries[..], &[[5, 2_999]], &[[0, 3_000], [0, 3_000]]] {
                let (mut got, mut want) = (vec![7; each * queries.len()], vec![8; each * queries.len()]);
                rmq.smallest_each(queries, each, &mut got).unwrap();
                host.smallest_each(queries, each, &mut want).unwrap();
                assert!(got == want, "{each} of {}: {queries:?}", kind.name());
            }
        }
    }
}

/// Layers are made when they are first asked for, and counted then.
#[test]
fn what_is_held_is_told() {
    let Some(device) = testing::device() else { return };
    let array = ArrayKind::Random.make::<u32>(100_000, 1);
    let rmq = built(&device, &array, Order::Min, 1 << 22);
    let before = rmq.extra_bytes();
    rmq.below_each(&[[0u32, 99_999]], &[array[5]]).unwrap();
    let layers = rmq.extra_bytes() - before;
    assert!((100_000 / 8..100_000 / 7).contains(&layers), "{layers}");
}

#[test]
fn positions_that_do_not_fit_are_refused() {
    let Some(device) = testing::device() else { return };
    let rmq = built(&device, &[3u8, 1, 2][..], Order::Min, 1 << 22);
    let bad = Error::Query { row: 1, left: 1, right: 3, len: 3 };
    assert_eq!(rmq.below_each(&[[0u32, 2], [1, 3]], &[1]), Err(bad.clone()));
    assert_eq!(rmq.smallest_each(&[[0u64, 2], [1, 3]], 1, &mut [0; 2]), Err(bad));
}
