//! Every RMQ engine of this crate against the conformance suite, on whatever device there is.

use thalweg::rmq::RmqEngine;
use thalweg::{Error, Key, Order};
use thalweg_gpu::rmq::{Builder, Engine, Shape};
use thalweg_gpu::{Device, Options, testing};
use thalweg_testkit::rmq::{Extent, part_of_suite};
use thalweg_testkit::{ArrayKind, QueryKind};

const EXTENT: Extent = Extent {
    sizes: &[0, 1, 2, 3, 15, 16, 17, 33, 63, 65, 127, 257, 513, 1009, 1024, 4095, 4097, 20_011, 65_537],
    step: 3,
    singles: 2,
};

/// Small lines, blocks and groups, so that arrays of some thousand elements have all levels.
const SMALL: Shape = Shape { line: 4, block: 4, group: 4, direct: 4, threads: 64, open: 0, stages: 3 };

fn conform<K: Key>(device: &Device, extent: Extent, builder: Builder) {
    part_of_suite::<K>(extent, |array, order| builder.order(order).build(device, array).unwrap().into_rmq());
}

macro_rules! conformance {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            let Some(device) = testing::device() else { return };
            macro_rules! one {
                ($t:ident) => {
                    conform::<$t>(&device, EXTENT, $builder);
                };
            }
            thalweg::for_each_key!(one);
        }
    )*};
}

conformance! {
    lines = Builder::new().engine(Engine::Lines);
    lines_of_four = Builder::new().engine(Engine::Lines).shape(SMALL);
    lines_opened_at_once = Builder::new().engine(Engine::Lines).shape(Shape { open: 1, ..SMALL });
    lines_opened_together = Builder::new().engine(Engine::Lines).shape(Shape { line: 16, direct: 9, open: 2, ..SMALL });
}
