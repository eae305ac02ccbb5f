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
    naive = Builder::new().engine(Engine::Naive);
    sparse_table = Builder::new().engine(Engine::SparseTable);
    prefix_suffix_tree = Builder::new().engine(Engine::PrefixSuffixTree);
    hierarchy = Builder::new().engine(Engine::Hierarchy);
    hierarchy_of_pairs = Builder::new().engine(Engine::Hierarchy).chunk(2).threshold(1);
    hierarchy_of_odd_chunks = Builder::new().engine(Engine::Hierarchy).chunk(7).threshold(3);
    hierarchy_with_a_wide_top = Builder::new().engine(Engine::Hierarchy).chunk(32).threshold(64);
}
