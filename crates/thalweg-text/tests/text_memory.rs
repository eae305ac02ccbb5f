//! The memory that `lz77` takes at its peak, counted by the system. A test of its own, as the count is the process's.

#[cfg(target_os = "linux")]
use thalweg_data::TextKind;
#[cfg(target_os = "linux")]
use thalweg_text::lz77::{Engine, Options, Source, factorise};

/// A number of /proc/self/status, in bytes.
#[cfg(target_os = "linux")]
fn status(key: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = text.lines().find_map(|line| line.strip_prefix(key)).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

/// The peak above what is held now, while `f` runs.
#[cfg(target_os = "linux")]
fn peak(f: impl FnOnce()) -> usize {
    // Resets the high-water mark.
    std::fs::write("/proc/self/clear_refs", "5").expect("one's own process");
    let before = status("VmRSS:");
    f();
    status("VmHWM:") - before
}

/// 21 bytes a byte, the text itself among them: what is allocated besides it is at most 20. By default it is 16, and a
/// megabyte or two for threads, tables and pages begun.
#[test]
#[cfg(target_os = "linux")]
fn lz77_stays_within_21_bytes_a_byte() {
    let n = 12 << 20;
    for kind in [TextKind::Mixed, TextKind::Random] {
        let text = kind.make(n, 1);
        for (engine, source, most) in [
            (Engine::Starts, Source::Any, 17.0),
            (Engine::Lpf, Source::Any, 20.0),
            (Engine::Starts, Source::Leftmost, 20.0),
            (Engine::Starts, Source::Nearest, 20.0),
        ] {
            let options = Options { engine, source, ..Options::default() };
            let bytes = peak(|| assert!(!factorise(&text, &options).unwrap().is_empty()));
            let each = bytes as f64 / n as f64;
            println!("{} {engine} {}: {each:.2} bytes a byte and the text", kind.name(), source.name());
            assert!(each <= most, "{} {engine} {source:?}: {each:.2} bytes a byte", kind.name());
            // Sides and suffix array alone are 12: a count that misses them counts nothing.
            assert!(each > 12.0, "{} {engine} {source:?}: {each:.2} bytes a byte", kind.name());
        }
    }
}
