//! Every ANSV engine against the conformance suite, for every key type.

use thalweg::ansv::{Engine, engine};
use thalweg_testkit::ansv::suite;

macro_rules! conformance {
    ($($name:ident = $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(&*engine(Engine::$engine));
                };
            }
            thalweg::for_each_key!(one);
        }
    )*};
}

conformance! {
    stack = Stack;
    bsz = Bsz;
    berkman = Berkman;
    merging = Merging;
}
