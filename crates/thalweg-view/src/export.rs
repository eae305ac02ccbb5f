//! A page that needs no server: the whole array if it is short, otherwise minima and maxima of buckets, in as many levels as it
//! takes to zoom. Every one of them is exact; how deep one can look is the page's size.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::Series;
use crate::columns::{self, Refusal};
use crate::page;

/// Buckets of a level for each of the next coarser one.
const STEP: usize = 4;
/// The coarsest level has no more buckets than about this.
const COARSEST: usize = 2048;

/// Writes the page. `bytes`: so much data at most, before it becomes text, which is a third longer.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::InvalidData`] with what is wrong with a series.
pub fn write(series: &[Series<'_>], title: &str, bytes: usize, mut out: impl Write) -> io::Result<()> {
    let share = (bytes / series.len().max(1)).max(64);
    let each: Vec<Value> = series
        .iter()
        .map(|series| data(series, share))
        .collect::<Result<_, _>>()
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
    // What is not allowed inside a script's tag is written otherwise.
    let data = json!({"title": title, "series": each}).to_string().replace('<', "\\u003c");
    let script = format!(
        "<script type=\"application/json\" id=\"embedded\">{data}</script>\n<script>\n{}\n</script>",
        page::SCRIPT
    );
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
        style-src 'unsafe-inline'; img-src data:\">\n<style>\n";
    let style = [policy, page::STYLE, "\n</style>"].concat();
    // The script is at the end of the head and waits for nothing, so it moves behind what it works on.
    let text = page::HTML.replace(page::STYLE_TAG, &style).replace(page::SCRIPT_TAG, "");
    let (before, after) = text.split_once("</body>").expect("the page has a body");
    for part in [before, &script, "\n</body>", after] {
        out.write_all(part.as_bytes())?;
    }
    out.flush()
}

/// What the page holds of a series.
fn data(series: &Series<'_>, share: usize) -> Result<Value, Refusal> {
    let (len, size) = (series.len(), series.kind().bytes());
    let mut value = json!({
        "name": series.name(),
        "dtype": series.kind().name(),
        "length": len,
    });
    if len.saturating_mul(size) <= share {
        let words = (0..len)
            .step_by(columns::MOST_POINTS)
            .map(|from| columns::points(series, from, len.min(from + columns::MOST_POINTS)));
        let all: Vec<Vec<u8>> = words.collect::<Result<_, _>>()?;
        value["points"] = base64(&all.concat()).into();
        return Ok(value);
    }
    // The finest level takes three quarters, with minima and maxima, and the others a quarter.
    let buckets = (share * 3 / 4 / (2 * size)).max(1);
    let mut bucket = len.div_ceil(buckets);
    let mut levels = Vec::new();
    loop {
        let count = len.div_ceil(bucket);
        levels.push(json!({"bucket": bucket, "data": base64(&level(series, bucket)?)}));
        if count <= COARSEST {
            break;
        }
        bucket *= STEP;
    }
    value["levels"] = levels.into();
    Ok(value)
}

/// Minima, then maxima, of all buckets of this size.
fn level(series: &Series<'_>, bucket: usize) -> Result<Vec<u8>, Refusal> {
    let (len, size) = (series.len(), series.kind().bytes());
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let count = len.div_ceil(bucket);
    for first in (0..count).step_by(columns::WIDEST) {
        let width = columns::WIDEST.min(count - first);
        // Whole buckets, also the last one, which is cut where the array ends.
        let both = columns::columns(series, first * bucket, (first + width) * bucket, width)?;
        let (lowest, highest) = both.split_at(width * size);
        low.extend_from_slice(lowest);
        high.extend_from_slice(highest);
    }
    low.append(&mut high);
    Ok(low)
}

/// Bytes as text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize % 64];
            text.push(if i <= chunk.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_text_that_browsers_read() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{ff}", "w78=")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_page_has_what_is_replaced() {
        for tag in [page::SCRIPT_TAG, page::STYLE_TAG, "</body>"] {
            assert_eq!(page::HTML.matches(tag).count(), 1, "{tag}");
        }
        assert!(!page::SCRIPT.contains("</script"));
    }
}
