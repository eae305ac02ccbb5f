//! Every window engine against the conformance suite, for every key type.

use proptest::prelude::*;
use thalweg_arrays::window::{
    Align, Border, Engine, Outputs, Shape, WindowEngine, Windows, engine, solve_bits, values,
};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::{Coding, Error, Key, Order, Position};
use thalweg_data::ArrayKind;
use thalweg_suites::window::{check_regular, suite, suite_of};
use thalweg_suites::{at_every_level, with_threads};

#[test]
fn blocks() {
    let engine = &*engine(Engine::Blocks);
    at_every_level(|| {
        macro_rules! one {
            ($t:ident) => {
                suite::<$t>(engine);
            };
        }
        thalweg_suites::for_keys_of_level!(one);
    });
}

#[test]
fn naive() {
    let engine = &*engine(Engine::Naive);
    macro_rules! one {
        ($t:ident) => {
            suite_of::<$t>(engine, &[0, 1, 2, 17, 100], 200);
        };
    }
    thalweg_core::for_each_key!(one);
}

/// Every narrow width and every residue of wide ones, where kernels have their corners.
#[test]
fn every_width() {
    let engine = &*engine(Engine::Blocks);
    at_every_level(|| {
        for width in (1..300).chain(508..516).chain(4090..4102).chain([5000, 6143, 6144, 6145, 8192, 10_000, 20_000]) {
            let kind = ArrayKind::ALL[width % ArrayKind::ALL.len()];
            let windows =
                Windows { align: Align::ALL[width % 3], border: Border::ALL[width / 3 % 3], ..Windows::new(width) };
            check_regular(engine, &kind.make::<u8>(9001, 3), Order::Min, windows, kind.name());
            check_regular(engine, &kind.make::<i16>(9002, 3), Order::Max, windows, kind.name());
            check_regular(engine, &kind.make::<f32>(9003, 3), Order::Min, windows, kind.name());
            check_regular(engine, &kind.make::<f64>(9004, 3), Order::Max, windows, kind.name());
        }
    });
}

/// Stretches of all kinds one after the other: where windows are answered by leaps, these begin, end early and are given up, for more
/// than one task.
#[test]
fn data_that_changes_its_kind() {
    fn of<K: Key>() -> Vec<K> {
        let pieces = [2500, 9000, 300, 20_000, 40, 12_000];
        let kinds = ArrayKind::ALL.iter().cycle().zip(pieces.into_iter().cycle());
        kinds.take(2 * ArrayKind::ALL.len()).flat_map(|(kind, len)| kind.make::<K>(len, len as u64)).collect()
    }
    let engine = &*engine(Engine::Blocks);
    at_every_level(|| {
        for (i, width) in [64, 95, 96, 97, 192, 193, 300, 768, 1000, 4095, 4096, 16_384, 16_385].into_iter().enumerate()
        {
            let windows = Windows { align: Align::ALL[i % 3], border: Border::ALL[i / 3 % 3], ..Windows::new(width) };
            for stride in [1, 3] {
                let windows = Windows { stride, ..windows };
                check_regular(engine, &of::<u8>(), Order::Max, windows, "kinds");
                check_regular(engine, &of::<u32>(), Order::Min, windows, "kinds");
                check_regular(engine, &of::<f32>(), Order::Min, windows, "kinds");
                check_regular(engine, &of::<f64>(), Order::Max, windows, "kinds");
            }
        }
    });
}

/// Windows so wide that chunks' minima are found beforehand, for narrow and for wide keys.
#[test]
fn wider_than_the_cache() {
    let engine = &*engine(Engine::Blocks);
    for &kind in ArrayKind::ALL {
        for width in [600_000, 1_000_000, 1_400_000] {
            let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
            check_regular(engine, &kind.make::<u8>(1_300_001, 1), Order::Min, windows, kind.name());
            check_regular(engine, &kind.make::<f32>(1_300_001, 1), Order::Max, windows, kind.name());
        }
    }
}

/// So many answers that they are written past the caches: by leaps and by chunks, of which some begin anywhere in a line.
#[test]
fn more_answers_than_the_caches_hold() {
    let engine = &*engine(Engine::Blocks);
    let array = ArrayKind::Random.make::<u32>((1 << 22) + 4099, 11);
    for (width, align) in [(501, Align::Centred), (5003, Align::Trailing), (150_001, Align::Leading)] {
        check_regular(engine, &array, Order::Min, Windows { align, ..Windows::new(width) }, "random");
    }
    let array = ArrayKind::Random.make::<i64>((1 << 21) + 1001, 11);
    let windows = Windows { border: Border::Drop, ..Windows::new(999) };
    check_regular(engine, &array, Order::Max, windows, "random");
}

/// Zeros of both signs and NaNs of several patterns, in windows of all kinds: values are those of the leftmost.
#[test]
fn values_are_those_of_the_leftmost() {
    let engine = &*engine(Engine::Blocks);
    for period in [2usize, 3, 50, 5000] {
        let key = |i: usize| match i % period {
            0 => -0.0f32,
            1 => 0.0,
            2 => f32::from_bits(0xffc0_0001),
            3 => f32::NAN,
            _ => 1.5,
        };
        let array: Vec<f32> = (0..20_000).map(key).collect();
        for width in [1, 2, 3, 5, 40, 100, 5000, 9000] {
            for border in Border::ALL {
                check_regular(engine, &array, Order::Min, Windows { border, ..Windows::new(width) }, "zeros");
                check_regular(engine, &array[..4], Order::Max, Windows { border, ..Windows::new(width) }, "zeros");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_told() {
    let array = [1u8, 2, 3];
    let ask = |shape: Shape<'_>, places: usize| {
        let mut positions = vec![0u32; places];
        let outputs = Outputs { values: None, positions: Some(u32::buffer(&mut positions)) };
        let coding = Coding::of::<u8>(Order::Min);
        solve_bits(Bits::of(&array), coding, shape, 0, &*engine(Engine::Blocks), outputs).unwrap_err().to_string()
    };
    let windows = Windows::new(2);
    assert_eq!(ask(Shape::Regular(Windows::new(0)), 3), "width: must be at least 1");
    assert_eq!(ask(Shape::Regular(Windows { stride: 0, ..windows }), 3), "stride: must be at least 1");
    assert_eq!(ask(Shape::Regular(windows), 2), "positions of windows: expected 3 elements, got 2");
    let grid = Shape::Grid { columns: 2, windows: [windows; 2] };
    assert_eq!(ask(grid, 2), "the array: 3 elements are no rows of 2");
    let ragged =
        |starts: &[u32], ends: &[u32]| ask(Shape::Ragged { starts: u32::view(starts), ends: u32::view(ends) }, 2);
    assert_eq!(ragged(&[0, 1], &[1, 4]), "window 1: 1..4 of an array of 3 elements: it ends behind the array");
    assert_eq!(ragged(&[0, 2], &[1, 1]), "window 1: 2..1 of an array of 3 elements: it ends before it starts");
    let descends =
        "window 1: 0..3 of an array of 3 elements: bounds must ascend, and one of the window before is larger";
    assert_eq!(ragged(&[1, 0], &[2, 3]), descends);
    assert_eq!(ragged(&[1, 0], &[2]), "ends of windows: expected 2 elements, got 1");
    let mut wide = [0u16; 3];
    let outputs = Outputs { values: Some(BitsMut::of(&mut wide)), positions: None };
    let coding = Coding::of::<u8>(Order::Min);
    let refused = solve_bits(Bits::of(&array), coding, Shape::Regular(windows), 0, &*engine(Engine::Blocks), outputs);
    assert_eq!(refused, Err(Error::Bits { what: "values of windows", expected: 8, got: 16 }));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let engine = &*engine(Engine::Blocks);
    for threads in [1, 2, 8] {
        with_threads(threads, || {
            for width in [2, 100, 5000, 200_000] {
                let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
                check_regular(engine, &ArrayKind::Few.make::<i32>(400_001, 11), Order::Min, windows, "few");
            }
        });
    }
}

#[test]
fn engines_can_be_sent_and_shared() {
    fn sent_and_shared<T: Send + Sync + std::fmt::Debug>() {}
    sent_and_shared::<Box<dyn WindowEngine>>();
    sent_and_shared::<Outputs<'_>>();
    sent_and_shared::<Shape<'_>>();
}

proptest! {
    #[test]
    fn values_are_the_definition(array in prop::collection::vec(0u8..6, 0..200), width in 1usize..250) {
        let found = values(&array, width, Order::Min).unwrap();
        for (i, &found) in found.iter().enumerate() {
            let range = i.saturating_sub(width / 2)..(i + width - width / 2).min(array.len());
            prop_assert_eq!(Some(&found), array[range].iter().min_by_key(|key| key.rank(Order::Min)));
        }
    }
}
