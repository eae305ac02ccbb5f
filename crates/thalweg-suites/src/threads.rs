//! Who did the work.

/// Times that it is tried: on a busy machine one of two threads may not get a processor for a while.
const TRIES: usize = 20;

/// Nanoseconds that the current thread has been on a processor.
fn time_on_processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    text.split_whitespace().next().and_then(|time| time.parse().ok()).expect("a number")
}

/// Panics unless both threads of two do a good part of some work: at least a quarter of it, once in a few times. It should
/// take so long that waiting, which looks like work for a while, does not matter: tens of milliseconds.
pub fn both_threads_take_part(name: &str, work: impl Fn() + Sync) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let times = || pool.broadcast(|_| time_on_processor());
    let mut seen = Vec::new();
    let take_part = (0..TRIES).any(|_| {
        let before = times();
        pool.install(&work);
        let worked: Vec<u64> = times().iter().zip(before).map(|(after, before)| after - before).collect();
        let (least, all) = (*worked.iter().min().expect("two"), worked.iter().sum::<u64>());
        seen.push(worked);
        4 * least > all
    });
    assert!(take_part, "{name}: nanoseconds of work of two threads, every time: {seen:?}");
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    fn some_work() {
        (0..20_000_000u64).for_each(|i| _ = black_box(i));
    }

    #[test]
    fn work_of_two_is_told_from_that_of_one() {
        both_threads_take_part("both", || _ = rayon::join(some_work, some_work));
        let alone = std::panic::catch_unwind(|| both_threads_take_part("one", some_work));
        assert!(alone.is_err());
    }
}
