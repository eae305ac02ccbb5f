//! `thalweg gen`.

use thalweg_data::{ArrayKind, QueryKind};

use crate::sandbox::{Sandbox, from_npy};

#[test]
fn arrays_of_every_kind_and_type() {
    let sandbox = Sandbox::new();
    for &kind in ArrayKind::ALL {
        let name = kind.name();
        macro_rules! one {
            ($t:ident) => {
                let dtype = stringify!($t);
                sandbox.run(&format!("gen array --n 1_000 --kind {name} --dtype {dtype} --seed 5 --out A.npy"));
                let (shape, got) = sandbox.npy::<$t>("A.npy");
                assert_eq!(shape, [1000]);
                // As text: NaN does not equal itself.
                assert_eq!(format!("{got:?}"), format!("{:?}", kind.make::<$t>(1000, 5)), "{name} {dtype}");
            };
        }
        if kind == ArrayKind::Special {
            thalweg::for_each_key!(one);
        } else {
            one!(f32);
            one!(u8);
        }
    }
}

#[test]
fn queries_of_every_kind() {
    let sandbox = Sandbox::new();
    for &kind in QueryKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen queries --n 2^14 --count 300 --kind {name} --seed 6 --out Q.npy"));
        let (shape, got) = sandbox.npy::<i64>("Q.npy");
        assert_eq!(shape, [300, 2]);
        let want = kind.make::<u64>(1 << 14, 300, 6);
        assert!(got.iter().eq(want.as_flattened().iter().map(|&x| x as i64).collect::<Vec<_>>().iter()), "{name}");
    }
}

#[test]
fn what_is_generated_is_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 999 --out A.npy");
    sandbox.run("gen queries --n 999 --count 50 --out Q.npy");
    sandbox.run("rmq --array A.npy --queries Q.npy --out 1.npy");
    sandbox.run("rmq --n 999 --count 50 --out 2.npy");
    assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"));
}

#[test]
fn to_standard_output_and_raw() {
    let sandbox = Sandbox::new();
    let output = sandbox.run("gen array --n 10 --dtype <i8 --kind sorted --out -");
    assert_eq!(from_npy::<i64>(&output.stdout), (vec![10], (0..10).collect()));
    let want: Vec<u8> = (0..10u16).flat_map(u16::to_le_bytes).collect();
    let output = sandbox.run("gen array --n 10 --dtype u16 --kind sorted --raw --out -");
    assert_eq!(output.stdout, want);
    for name in ["A.bin", "A.raw"] {
        sandbox.run(&format!("gen array --n 10 --dtype uint16 --kind sorted --out {name}"));
        assert_eq!(sandbox.bytes(name), want);
    }
    assert!(sandbox.run("gen queries --n 0 --count 0 --raw --out -").stdout.is_empty());
}

#[test]
fn absurd_sizes_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.fail_saying("gen array --n 2^50 --out A.npy", &["out of memory"]);
    sandbox.fail_saying("gen array --n 2^62 --dtype f64 --out A.npy", &["out of memory"]);
    sandbox.fail_saying("gen queries --count 2^60 --out Q.npy", &["out of memory"]);
    sandbox.fail_saying("gen queries --n 0 --count 1 --out Q.npy", &["empty array"]);
    sandbox.fail_saying("rmq --n 2^60", &["out of memory"]);
    sandbox.fail_saying("ansv --n 2^60", &["out of memory"]);
}
