//! Loops that ask to be written out.
//!
//! A loop written `@unroll for (var k = 0u; k < ITEMS; k++) { .. }`, with a constant of the kernel as its bound, is
//! written out. Drivers do not unroll loops with subgroup operations, and an array that such a loop indexes lives in
//! memory then, not in registers: a scan took five times as long.

use std::fmt::Write;

const MARK: &str = "@unroll ";

/// The text with its marked loops as plain loops.
pub(super) fn rolled(text: &str) -> String {
    text.replace(MARK, "")
}

/// The text with its marked loops written out, or what is wrong with one: a mistake in a kernel.
pub(super) fn unrolled(text: &str, constants: &[(String, u32)]) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(MARK) {
        out += &rest[..start];
        let after = &rest[start + MARK.len()..];
        let line = after.lines().next().unwrap_or_default();
        let (variable, bound, body) = parts(after).ok_or_else(|| format!("this loop cannot be written out: {line}"))?;
        let (_, count) = constants
            .iter()
            .find(|(name, _)| name == bound)
            .ok_or_else(|| format!("a loop is written out up to a constant of the kernel, not {bound}"))?;
        let length = end_of_block(body).ok_or_else(|| format!("this loop does not end: {line}"))?;
        let inner = unrolled(&body[..length], constants)?;
        for k in 0..*count {
            write!(out, "{{ const {variable} = {k}u; {inner} }} ").expect("a string takes all");
        }
        rest = &body[length + 1..];
    }
    Ok(out + rest)
}

/// Variable and bound of a loop, and the text behind the brace that opens its body.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (head, body) = text.strip_prefix("for (var ")?.split_once(") {")?;
    let (variable, rest) = head.split_once(" = 0u; ")?;
    let bound = rest.strip_prefix(variable)?.strip_prefix(" < ")?;
    let bound = bound.strip_suffix("++")?.strip_suffix(variable)?.strip_suffix("; ")?;
    Some((variable, bound, body))
}

/// Where the brace is that closes a block.
fn end_of_block(body: &str) -> Option<usize> {
    let mut depth = 1;
    body.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<String, String> {
        unrolled(text, &[("ITEMS".into(), 2), ("ROWS".into(), 3), ("NONE".into(), 0)])
    }

    #[test]
    fn text_without_marks_stays() {
        let text = "for (var k = 0u; k < ITEMS; k++) { x += k; }\n";
        assert_eq!(run(text).unwrap(), text);
        assert_eq!(run("").unwrap(), "");
    }

    #[test]
    fn a_loop_is_written_out() {
        assert_eq!(
            run("before @unroll for (var k = 0u; k < ITEMS; k++) { x[k]; } after").unwrap(),
            "before { const k = 0u;  x[k];  } { const k = 1u;  x[k];  }  after"
        );
    }

    #[test]
    fn a_loop_of_no_rounds_goes_away() {
        assert_eq!(run("a @unroll for (var k = 0u; k < NONE; k++) { x; } b").unwrap(), "a  b");
    }

    #[test]
    fn loops_one_after_the_other() {
        let text =
            run("@unroll for (var i = 0u; i < ITEMS; i++) {a}; @unroll for (var j = 0u; j < ROWS; j++) {b};").unwrap();
        assert_eq!(
            text,
            "{ const i = 0u; a } { const i = 1u; a } ; \
             { const j = 0u; b } { const j = 1u; b } { const j = 2u; b } ;"
        );
    }

    #[test]
    fn loops_inside_each_other() {
        let text = run("@unroll for (var i = 0u; i < ITEMS; i++) {\
                        @unroll for (var j = 0u; j < ROWS; j++) {if c { x[i][j]; }}}")
        .unwrap();
        let row = |i| -> String {
            let inner: String = (0..3).map(|j| format!("{{ const j = {j}u; if c {{ x[i][j]; }} }} ")).collect();
            format!("{{ const i = {i}u; {inner} }} ")
        };
        assert_eq!(text, row(0) + &row(1));
    }

    #[test]
    fn a_plain_loop_inside_stays_one() {
        let text = run("@unroll for (var i = 0u; i < ITEMS; i++) {for (var j = 0u; j < n; j++) {y;}}").unwrap();
        assert_eq!(text.matches("for (var j = 0u; j < n; j++) {y;}").count(), 2);
        assert!(!text.contains("@unroll"));
    }

    #[test]
    fn rolled_up_again() {
        assert_eq!(
            rolled("@unroll for (var k = 0u; k < ITEMS; k++) { @unroll for (x) {} }"),
            "for (var k = 0u; k < ITEMS; k++) { for (x) {} }"
        );
    }

    #[test]
    fn other_forms_are_errors_that_show_the_loop() {
        for head in [
            "for (var k = 1u; k < ITEMS; k++)",
            "for (var k = 0u; j < ITEMS; k++)",
            "for (var k = 0u; k <= ITEMS; k++)",
            "for (var k = 0u; k < ITEMS; j++)",
            "for (var k = 0u; k < ITEMS; k += 2u)",
            "for (let k = 0u; k < ITEMS; k++)",
            "while (true)",
        ] {
            let e = run(&format!("a;\n@unroll {head} {{ x; }}\nb;")).unwrap_err();
            assert!(e.contains(head) && !e.contains("b;"), "{e}");
        }
    }

    #[test]
    fn unknown_bounds_and_open_blocks_are_errors() {
        let e = run("@unroll for (var k = 0u; k < LATER; k++) { }").unwrap_err();
        assert!(e.contains("LATER"), "{e}");
        let e = run("@unroll for (var k = 0u; k < ITEMS; k++) { if c { }").unwrap_err();
        assert!(e.contains("does not end"), "{e}");
        // Also inside another loop.
        assert!(run("@unroll for (var i = 0u; i < ITEMS; i++) {@unroll for (var k = 0u; k < i; k++) { }}").is_err());
    }
}
