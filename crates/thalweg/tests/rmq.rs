//! Every RMQ engine against the conformance suite, for every key type.

use thalweg::rmq::{Builder, Engine};
use thalweg_testkit::rmq::suite;

macro_rules! conformance {
    ($($name:ident = $builder:expr;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(|array, order| $builder.order(order).build(array).unwrap());
                };
            }
            thalweg::for_each_key!(one);
        }
    )*};
}

conformance! {
    lines = Builder::new().engine(Engine::Lines);
    naive = Builder::new().engine(Engine::Naive);
}
