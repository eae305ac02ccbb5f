//! The page in a real browser: Chromium without a screen, driven by WebDriver.
//!
//! Needs `chromium` and `chromedriver` (Debian: chromium and chromium-driver); `test.sh` installs them where it can. Without them, or
//! with `THALWEG_SKIP_BROWSER=1`, the tests say that they are skipped.

mod driver;
mod serving;

use std::fs::File;
use std::io::Write;

use driver::{Browser, browser};
use serde_json::json;
use serving::{ready, with_server};
use thalweg_core::bits::Bits;
use thalweg_view::{Kind, Series, Watch, export};

const N: usize = 300_000;

fn waves() -> Vec<f32> {
    (0..N)
        .map(|i| (i as f32 / 9000.0).sin() * 40.0 + ((i as u32).wrapping_mul(2_654_435_761) >> 20) as f32 / 400.0)
        .collect()
}

/// The rows of pixels of each column that have the series' colour, first and last, and what they should be.
fn compare_pixels(browser: &Browser, keys: &[f32]) -> usize {
    let got = browser.run(
        "const v = window.thalwegView, s = v.shot, c = document.getElementById('plot').getContext('2d');
         const hex = v.colour(0), want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
         const data = c.getImageData(s.left, 0, s.width, s.top + s.height + 5).data, rows = [];
         for (let x = 0; x < s.width; x++) {
           let first = -1, last = -1, y = 0;
           for (let i = 4 * x; i < data.length; i += 4 * s.width, y++) {
             if (data[i] === want[0] && data[i + 1] === want[1] && data[i + 2] === want[2] && data[i + 3] === 255) {
               if (first < 0) first = y;
               last = y;
             }
           }
           rows.push([first, last]);
         }
         return {shot: s, rows};",
    );
    let shot = &got["shot"];
    assert_eq!(shot["points"], false);
    let number = |name: &str| shot[name].as_u64().unwrap() as usize;
    let (from, span, width) = (number("from"), number("span"), number("width"));
    let lane = &shot["lanes"][0];
    let real = |name: &str| lane[name].as_f64().unwrap();
    let (low, high, top, height) = (real("low"), real("high"), real("top"), real("height"));
    let all = &keys[from..from + span];
    assert_eq!(low as f32, all.iter().copied().fold(f32::INFINITY, f32::min));
    assert_eq!(high as f32, all.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let y =
        |value: f32| top + (height - 1.0) - ((f64::from(value) - low) / (high - low) * (height - 1.0) + 0.5).floor();
    for (c, rows) in got["rows"].as_array().unwrap().iter().enumerate() {
        let range = from + c * span / width..from + (c + 1) * span / width;
        let column = &keys[range];
        let top = y(column.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let bottom = y(column.iter().copied().fold(f32::INFINITY, f32::min));
        assert_eq!((rows[0].as_f64(), rows[1].as_f64()), (Some(top), Some(bottom)), "column {c} of {width}");
    }
    span
}

#[test]
fn what_is_drawn_is_what_is_there() {
    let Some(browser) = browser() else { return };
    let keys = waves();
    with_server(&[ready("waves", &keys)], |server| {
        browser.open(&server.address());
        assert_eq!(compare_pixels(&browser, &keys), N);
        // By wheel, buttons and keys.
        browser.run("document.getElementById('plot').dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: 500, clientY: 300, cancelable: true}))");
        browser.settle();
        let zoomed = compare_pixels(&browser, &keys);
        assert!(zoomed < N);
        browser.press("=");
        browser.press("ArrowRight");
        assert!(compare_pixels(&browser, &keys) < zoomed);
        browser.click("#whole");
        assert_eq!(compare_pixels(&browser, &keys), N);
        // Closer than pixels.
        browser.run("window.thalwegView.show(1000, 50)");
        browser.settle();
        assert_eq!(browser.run("return window.thalwegView.shot.points"), true);
    });
}

#[test]
fn everything_without_a_mouse() {
    let Some(browser) = browser() else { return };
    let keys = waves();
    let minimum = (0..N).min_by(|&a, &b| keys[a].total_cmp(&keys[b]).then(a.cmp(&b))).unwrap();
    let maximum = (0..N).min_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(a.cmp(&b))).unwrap();
    with_server(&[ready("waves", &keys), ready("again", &keys[..1000])], |server| {
        browser.open(&server.address());
        assert_eq!(browser.run("return document.activeElement.id"), "plot");
        let marks = || browser.run("return window.thalwegView.marks");
        browser.press("M");
        assert_eq!(marks()[0]["position"], maximum);
        browser.press("m");
        assert_eq!(marks()[0]["position"], minimum);
        assert_eq!(browser.run("return window.thalwegView.cursor"), minimum);
        // From the beginning to the next smaller one, which is at once marked.
        browser.press("g");
        browser.run("document.getElementById('position').value = '5'");
        browser.press("Enter");
        browser.press("n");
        let next = (6..N).find(|&i| keys[i] < keys[5]).unwrap();
        assert_eq!(marks()[0]["position"], next);
        browser.press("k");
        let listed = browser.run(
            "return [...document.querySelectorAll('#details li small')].map(s => s.textContent.replace(/\\D/g, ''))",
        );
        let mut order: Vec<usize> = (0..N).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]).then(a.cmp(&b)));
        let expected: Vec<String> = order[..10].iter().map(usize::to_string).collect();
        assert_eq!(listed, json!(expected));
        browser.press("Escape");
        assert_eq!(browser.run("return document.getElementById('side').hidden"), true);
        browser.press("h");
        browser.press("Enter");
        let looks = browser.run("return document.querySelectorAll('.look').length");
        assert!(looks.as_u64().unwrap() > 0, "{looks}");
        browser.press("Escape");
        browser.press("t");
        browser.press("l");
        assert_eq!(browser.run("return window.thalwegView.shot.lanes.length"), 2);
        browser.press("?");
        assert_eq!(browser.run("return document.getElementById('keys').open"), true);
        // Every button can be reached and says what it does.
        let nameless = browser.run("return [...document.querySelectorAll('button')].filter(b => !(b.getAttribute('aria-label') || b.textContent.trim()) || b.tabIndex < 0).length");
        assert_eq!(nameless, 0);
        let label = browser.run("return document.getElementById('plot').getAttribute('aria-label')");
        assert!(label.as_str().unwrap().contains("Positions"), "{label}");
    });
}

#[test]
fn two_tabs_and_strangers() {
    let Some(browser) = browser() else { return };
    let keys = waves();
    with_server(&[ready("waves", &keys)], |server| {
        browser.open(&server.address());
        browser.run("window.thalwegView.show(100000, 50000)");
        browser.settle();
        let first = browser.run("return location.hash");
        browser.new_tab();
        browser.open(&server.address());
        assert_eq!(compare_pixels(&browser, &keys), N);
        browser.open(&format!("{}{}", server.address(), first.as_str().unwrap()));
        assert_eq!(compare_pixels(&browser, &keys), 50_000);
        let address = server.address();
        let wrong = format!("{}/{}/", &address[..address.len() - 34], "0".repeat(32));
        browser.go(&wrong);
        let text = browser.run("return document.body.textContent");
        assert!(text.as_str().unwrap().contains("token"), "{text}");
    });
}

#[test]
fn files_that_change_are_not_drawn() {
    let Some(browser) = browser() else { return };
    let keys = waves();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    File::create(&path).unwrap().write_all(&bytes).unwrap();
    let file = File::open(&path).unwrap();
    // SAFETY: read only; that it is cut is what is tested, and guarded against.
    let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    // SAFETY: every pattern is a float.
    let (_, mapped, _) = unsafe { map.align_to::<f32>() };
    let mut series = Series::new("a.raw", Kind::of::<f32>(), Bits::of(mapped));
    series.watch(Watch::new("a.raw", file).unwrap(), &map);
    series.build(&|_| ()).unwrap();
    with_server(&[series], |server| {
        browser.open(&server.address());
        assert_eq!(compare_pixels(&browser, &keys), N);
        File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        browser.press("=");
        browser.wait("return !document.getElementById('banner').hidden");
        let text = browser.run("return document.getElementById('banner').textContent");
        assert!(text.as_str().unwrap().contains("cut short"), "{text}");
    });
}

#[test]
fn a_page_without_a_server() {
    let Some(browser) = browser() else { return };
    let keys = waves();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    // All of it, then a part of it.
    for bytes in [4 * N, 100_000] {
        export::write(&[ready("waves", &keys)], "waves", bytes, File::create(&path).unwrap()).unwrap();
        browser.open(&format!("file://{}", path.display()));
        let low = browser.run("return window.thalwegView.shot.lanes[0].low");
        assert_eq!(low.as_f64().unwrap() as f32, keys.iter().copied().fold(f32::INFINITY, f32::min));
        browser.press("=");
        browser.press("m");
        assert_eq!(browser.run("return document.getElementById('banner').hidden"), true);
    }
}

/// The picture of the documentation, on demand: `THALWEG_PICTURE=docs/pictures/view.png`.
#[test]
fn a_picture() {
    let Some(place) = std::env::var_os("THALWEG_PICTURE") else { return };
    let Some(browser) = browser() else { return };
    let n = 10_000_000;
    let mut height = 0.0f64;
    let mut state = 7u64;
    let mut walk = |drift: f64, spikes: u64| -> Vec<f32> {
        (0..n)
            .map(|i| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let step = (state >> 40) as f64 / f64::from(1 << 24) - 0.5;
                height += step - height * drift;
                let noise = if (state >> 20).is_multiple_of(spikes) { -60.0 * step.abs() } else { 0.0 };
                (height + noise + 25.0 * (i as f64 / 1.4e6).sin()) as f32
            })
            .collect()
    };
    let (one, two) =
        (walk(2e-5, 900_000), walk(8e-5, 2_000_000).into_iter().map(|x| x * 0.6 + 230.0).collect::<Vec<f32>>());
    with_server(&[ready("level.npy", &one), ready("flow.npy", &two)], |server| {
        browser.open(&server.address());
        browser.press("k");
        browser.save_picture(std::path::Path::new(&place));
    });
}
