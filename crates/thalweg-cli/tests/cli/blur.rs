//! `thalweg blur`: against sums by the definition, over every kind of picture, and what it refuses.

use image::{DynamicImage, ImageFormat, ImageReader};
use serde_json::Value;
use thalweg::fourier::blur::Engine;
use thalweg_data::Random;
use thalweg_data::marbles::{SIZES, marbles};

use crate::sandbox::{Sandbox, fixture, spellings};

const HEIGHT: u32 = 19;
const WIDTH: u32 = 27;

/// A picture of a kind: `l8`, `la16`, `rgb8`, ...
fn noise(kind: &str) -> DynamicImage {
    let random = Random::new(3, kind.len() as u64);
    macro_rules! made {
        ($($name:literal $new:ident $variant:ident;)*) => {
            match kind {
                $($name => {
                    let mut picture = DynamicImage::$new(WIDTH, HEIGHT);
                    let DynamicImage::$variant(pixels) = &mut picture else { unreachable!() };
                    for (i, sample) in pixels.iter_mut().enumerate() {
                        *sample = random.bits(i as u64) as _;
                    }
                    picture
                })*
                _ => unreachable!("{kind}"),
            }
        };
    }
    made! {
        "l8" new_luma8 ImageLuma8;
        "la8" new_luma_a8 ImageLumaA8;
        "rgb8" new_rgb8 ImageRgb8;
        "rgba8" new_rgba8 ImageRgba8;
        "l16" new_luma16 ImageLuma16;
        "la16" new_luma_a16 ImageLumaA16;
        "rgb16" new_rgb16 ImageRgb16;
        "rgba16" new_rgba16 ImageRgba16;
    }
}

const KINDS: [&str; 8] = ["l8", "la8", "rgb8", "rgba8", "l16", "la16", "rgb16", "rgba16"];

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn decoded(bytes: &[u8]) -> DynamicImage {
    ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format().unwrap().decode().unwrap()
}

/// Samples, how many a pixel has, and whether the last is alpha.
fn samples(picture: &DynamicImage) -> (Vec<f64>, usize, bool) {
    let colour = picture.color();
    let values = match colour.bytes_per_pixel() / colour.channel_count() {
        1 => picture.as_bytes().iter().map(|&x| x.into()).collect(),
        _ => picture.as_bytes().chunks_exact(2).map(|x| u16::from_ne_bytes([x[0], x[1]]).into()).collect(),
    };
    (values, colour.channel_count().into(), colour.has_alpha())
}

/// Where an element beyond the ends is taken from.
fn beyond(boundary: &str, position: i64, len: i64) -> Option<i64> {
    match boundary {
        _ if (0..len).contains(&position) => Some(position),
        "zero" => None,
        "wrap" => Some(position.rem_euclid(len)),
        "nearest" => Some(position.clamp(0, len - 1)),
        _ => Some(position.rem_euclid(2 * len).min(2 * len - 1 - position.rem_euclid(2 * len))),
    }
}

/// The blurred samples by the definition, in double precision.
fn oracle(picture: &DynamicImage, sigma: [f64; 2], boundary: &str) -> Vec<f64> {
    let (values, channels, alpha) = samples(picture);
    let (height, width) = (i64::from(picture.height()), i64::from(picture.width()));
    let weights = sigma.map(|sigma| {
        let reach = (4.0 * sigma + 0.5).floor() as i64;
        let weights: Vec<f64> = (-reach..=reach).map(|i| (-0.5 * (i as f64 / sigma).powi(2)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        (reach, weights.into_iter().map(|weight| weight / sum).collect::<Vec<_>>())
    });
    let [(down, vertical), (along, horizontal)] = &weights;
    let mut out = vec![0.0; values.len()];
    for (pixel, out) in out.chunks_exact_mut(channels).enumerate() {
        let (row, column) = (pixel as i64 / width, pixel as i64 % width);
        for (i, v) in (-down..=*down).zip(vertical) {
            for (j, h) in (-along..=*along).zip(horizontal) {
                let place = beyond(boundary, row + i, height).zip(beyond(boundary, column + j, width));
                let Some((y, x)) = place else { continue };
                let there = &values[(y * width + x) as usize * channels..][..channels];
                for channel in 0..channels {
                    let opacity = if alpha && channel + 1 < channels { there[channels - 1] } else { 1.0 };
                    out[channel] += v * h * opacity * there[channel];
                }
            }
        }
        if alpha {
            let opacity = out[channels - 1];
            out[..channels - 1].iter_mut().for_each(|colour| *colour /= opacity);
        }
    }
    out
}

/// Holds a picture to sums: it must be them, rounded, but for little.
#[track_caller]
fn close(found: &DynamicImage, expected: &[f64], slack: f64) {
    let found = samples(found).0;
    assert_eq!(found.len(), expected.len());
    let worst = found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(worst <= 0.5 + slack, "a sample is off by {worst}");
}

#[test]
fn every_kind_of_picture_and_every_boundary() {
    let sandbox = Sandbox::new();
    for kind in KINDS {
        let picture = noise(kind);
        sandbox.put("in.png", encoded(&picture, ImageFormat::Png));
        for boundary in ["zero", "wrap", "reflect", "nearest"] {
            for (option, sigma) in [("0.4", [0.4; 2]), ("1.7", [1.7; 2]), ("7", [7.0; 2]), ("0.9,3", [0.9, 3.0])] {
                sandbox.run(&format!("blur --image in.png --out out.png --sigma {option} --boundary {boundary}"));
                let found = decoded(&sandbox.bytes("out.png"));
                assert_eq!((found.color(), found.width(), found.height()), (picture.color(), WIDTH, HEIGHT));
                close(&found, &oracle(&picture, sigma, boundary), 1.0 / 16.0);
            }
        }
        // Mirrored, unless told otherwise.
        sandbox.run("blur --image in.png --out out.png --sigma 3");
        close(&decoded(&sandbox.bytes("out.png")), &oracle(&picture, [3.0; 2], "reflect"), 1.0 / 16.0);
    }
}

#[test]
fn every_engine() {
    let sandbox = Sandbox::new();
    for kind in ["rgb8", "rgba16"] {
        let picture = noise(kind);
        sandbox.put("in.png", encoded(&picture, ImageFormat::Png));
        for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
            for sigma in [1.0, 6.0] {
                let text =
                    format!("blur --image in.png --out out.png --sigma {sigma} --engine {engine} --device cpu --json");
                let report: Value = serde_json::from_slice(&sandbox.run(&text).stdout).expect("one JSON object");
                assert_eq!(report["engine"].as_str().unwrap(), engine.replace('-', "_"));
                close(&decoded(&sandbox.bytes("out.png")), &oracle(&picture, [sigma; 2], "reflect"), 1.0 / 16.0);
            }
        }
    }
}

#[test]
fn borders_are_not_darkened_unless_asked_for() {
    let sandbox = Sandbox::new();
    let flat = DynamicImage::ImageRgb8(image::RgbImage::from_pixel(60, 40, image::Rgb([200, 100, 255])));
    sandbox.put("in.png", encoded(&flat, ImageFormat::Png));
    for boundary in ["wrap", "reflect", "nearest"] {
        sandbox.run(&format!("blur --image in.png --out out.png --boundary {boundary}"));
        assert_eq!(decoded(&sandbox.bytes("out.png")), flat, "{boundary}");
    }
    sandbox.run("blur --image in.png --out out.png --boundary zero");
    assert!(decoded(&sandbox.bytes("out.png")).to_rgb8().get_pixel(0, 0)[0] < 80);
}

#[test]
fn a_kernel_that_is_much_larger_than_the_picture() {
    let sandbox = Sandbox::new();
    let picture = noise("rgb8");
    sandbox.put("in.png", encoded(&picture, ImageFormat::Png));
    sandbox.run("blur --image in.png --out out.png --sigma 2e4 --boundary wrap");
    // The mean of all.
    let (values, count) = (samples(&picture).0, f64::from(WIDTH * HEIGHT));
    let means: Vec<f64> = (0..3).map(|channel| values.iter().skip(channel).step_by(3).sum::<f64>() / count).collect();
    close(&decoded(&sandbox.bytes("out.png")), &means.repeat((WIDTH * HEIGHT) as usize), 1.0 / 16.0);
}

#[test]
fn what_is_transparent_gives_no_colour() {
    let sandbox = Sandbox::new();
    // Green that nobody sees, beside red.
    let mut picture = image::RgbaImage::from_pixel(40, 10, image::Rgba([0, 255, 0, 0]));
    (0..20).for_each(|x| (0..10).for_each(|y| picture.put_pixel(x, y, image::Rgba([255, 0, 0, 255]))));
    sandbox.put("in.png", encoded(&picture.into(), ImageFormat::Png));
    sandbox.run("blur --image in.png --out out.png --sigma 3");
    let found = decoded(&sandbox.bytes("out.png")).to_rgba8();
    assert!(found.pixels().filter(|pixel| pixel[3] > 0).all(|pixel| pixel.0[..3] == [255, 0, 0]));
    assert!((1..255).contains(&found.get_pixel(20, 5)[3]));
}

#[test]
fn jpeg_in_and_out() {
    let sandbox = Sandbox::new();
    sandbox.run("gen picture --rows 90 --cols 120 --out in.jpg");
    let picture = decoded(&sandbox.bytes("in.jpg"));
    let expected = oracle(&picture, [4.0; 2], "reflect");
    sandbox.run("blur --image in.jpg --out out.png --sigma 4");
    close(&decoded(&sandbox.bytes("out.png")), &expected, 1.0 / 16.0);
    let error = |name: &str| {
        let found = samples(&decoded(&sandbox.bytes(name))).0;
        found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).sum::<f64>() / expected.len() as f64
    };
    for name in ["out.jpg", "out.JPEG"] {
        sandbox.run(&format!("blur --image in.jpg --out {name} --sigma 4"));
        assert!(sandbox.bytes(name).starts_with(&[0xff, 0xd8]) && error(name) < 2.0, "{}", error(name));
    }
    sandbox.run("blur --image in.jpg --out poor.jpg --sigma 4 --quality 10");
    assert!(sandbox.bytes("poor.jpg").len() < sandbox.bytes("out.jpg").len() && error("poor.jpg") < 20.0);
    // Samples of 16 bits are rounded to 8; alpha is refused.
    for (kind, is_fine) in [("l16", true), ("rgb16", true), ("la8", false), ("rgba16", false)] {
        sandbox.put("in.png", encoded(&noise(kind), ImageFormat::Png));
        if is_fine {
            sandbox.run("blur --image in.png --out out.jpg --sigma 4");
            let found = decoded(&sandbox.bytes("out.jpg"));
            let expected: Vec<f64> = oracle(&noise(kind), [4.0; 2], "reflect").iter().map(|x| x / 257.0).collect();
            close(&found, &expected, 12.0);
        } else {
            sandbox.fail_saying("blur --image in.png --out other.jpg", &["other.jpg", "alpha", ".png"]);
        }
    }
}

#[test]
fn kinds_of_files_that_other_programs_write() {
    let sandbox = Sandbox::new();
    let rgb = decoded(&std::fs::read(fixture("pictures/palette_as_rgb.png")).unwrap());
    for (file, colour, sizes) in [
        ("palette.png", image::ColorType::Rgb8, (12, 8)),
        ("palette_transparent.png", image::ColorType::Rgba8, (12, 8)),
        ("black_and_white.png", image::ColorType::L8, (12, 8)),
        ("with_profile.png", image::ColorType::Rgb8, (12, 8)),
        ("cmyk.jpg", image::ColorType::Rgb8, (12, 8)),
        ("progressive.jpg", image::ColorType::Rgb8, (12, 8)),
        ("grey.jpg", image::ColorType::L8, (12, 8)),
        ("turned.jpg", image::ColorType::Rgb8, (8, 12)),
    ] {
        let path = fixture(&format!("pictures/{file}"));
        sandbox.run(&format!("blur --image {path} --out out.png --sigma 1.5"));
        let found = decoded(&sandbox.bytes("out.png"));
        assert_eq!((found.color(), (found.width(), found.height())), (colour, sizes), "{file}");
        if file == "palette.png" {
            close(&found, &oracle(&rgb, [1.5; 2], "reflect"), 1.0 / 16.0);
        }
        if file == "turned.jpg" {
            // The left column was the bottom row: bright green, and less red.
            let (left, right) = (found.to_rgb8().get_pixel(0, 5).0, found.to_rgb8().get_pixel(7, 5).0);
            assert!(left[1] > right[1] + 100, "{left:?} {right:?}");
        }
        let profile = |bytes: &[u8]| bytes.windows(4).any(|name| name == b"iCCP");
        assert_eq!(profile(&sandbox.bytes("out.png")), file == "with_profile.png", "{file}");
    }
}

#[test]
fn pictures_that_are_broken() {
    let sandbox = Sandbox::new();
    sandbox.run("gen picture --rows 40 --cols 50 --out good.png");
    sandbox.run("gen picture --rows 40 --cols 50 --out good.jpg");
    sandbox.put("out.png", "old");
    for name in ["good.png", "good.jpg"] {
        let bytes = sandbox.bytes(name);
        let cuts = [0, 1, 4, 9, 20, 40, 100, bytes.len() / 3, bytes.len() / 2, bytes.len() - 13, bytes.len() - 1];
        for cut in cuts {
            sandbox.put("cut", &bytes[..cut]).fail_saying("blur --image cut --out out.png", &["cut: "]);
            sandbox.fail_on_input("blur --image - --out out.png", &bytes[..cut]);
        }
    }
    // One bit of the pixels, which have a checksum.
    let mut bytes = sandbox.bytes("good.png");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    sandbox.put("bad.png", bytes).fail_saying("blur --image bad.png --out out.png", &["bad.png: "]);
    sandbox
        .put("bad.png", "no picture")
        .fail_saying("blur --image bad.png --out out.png", &["bad.png", "neither PNG nor JPEG"]);
    sandbox
        .put("bad.png", b"GIF89a\0\0")
        .fail_saying("blur --image bad.png --out out.png", &["bad.png", "neither PNG nor JPEG"]);
    sandbox.put_npy("bad.npy", &[3], &[1u8, 2, 3]).fail_saying("blur --image bad.npy --out out.png", &["bad.npy"]);
    for file in ["missing.png", "."] {
        sandbox.fail_saying(&format!("blur --image {file} --out out.png"), &[file]);
    }
    assert_eq!(sandbox.bytes("out.png"), b"old");
}

#[test]
fn outputs_and_options_that_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.run("gen picture --rows 8 --cols 9 --out in.png");
    for name in ["out.gif", "out", "out.npy", "out.png.txt"] {
        sandbox.fail_saying(&format!("blur --image in.png --out {name}"), &[name, ".png, .jpg or .jpeg"]);
    }
    sandbox.fail_saying("blur --image in.png --out no/such/out.png", &["no/such/out.png", "No such file"]);
    for sigma in ["0", "-1", "nan", "inf", "1e300", "2,0"] {
        sandbox.fail_saying(&format!("blur --image in.png --out out.png --sigma {sigma}"), &["--sigma"]);
    }
    for bad in ["--sigma x", "--sigma 1,2,3", "--quality 0", "--quality 101", "--boundary mirror", "--engine none"] {
        let output = sandbox.command(&format!("blur --image in.png --out out.png {bad}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
    assert_eq!(sandbox.files(), ["in.png"]);
    sandbox.fail_saying("gen picture --rows 0 --out a.png", &["row"]);
    sandbox.fail_saying("gen picture --rows 2^40 --cols 2^40 --out a.png", &["out of memory"]);
}

#[test]
fn pipes_and_a_picture_over_itself() {
    let sandbox = Sandbox::new();
    sandbox.run("gen picture --rows 30 --cols 40 --out in.png");
    sandbox.run("blur --image in.png --out out.png --sigma 2");
    let expected = sandbox.bytes("out.png");
    let output =
        sandbox.command("blur --image - --out - --sigma 2").write_stdin(sandbox.bytes("in.png")).output().unwrap();
    assert!(output.stdout == expected);
    assert!(String::from_utf8_lossy(&output.stderr).contains("40 x 30, RGB, 8 bits (standard input)"));
    sandbox.run("blur --image in.png --out in.png --sigma 2");
    assert!(sandbox.bytes("in.png") == expected);
}

#[test]
fn the_demo_blurs_marbles_and_says_so() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("blur --sigma 2 --out out.png").stdout).unwrap();
    for part in [
        "1,400 x 1,000, RGB, 8 bits (marbles, built in)",
        "sigma 2, boundary reflect",
        "/pixel",
        "out.png",
        "plain sums",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = decoded(&sandbox.bytes("out.png"));
    assert_eq!((found.width(), found.height()), (1400, 1000));
    let output = sandbox.run("blur --sigma 1 --json --threads 2 --no-verify");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(
        (&report["problem"], &report["verified"], &report["picture"]["bits"]),
        (&"blur".into(), &0.into(), &8.into())
    );
    let text = String::from_utf8(sandbox.run("blur --sigma 1").stdout).unwrap();
    assert!(text.contains("--out blurred.png"), "{text}");
    assert_eq!(sandbox.files(), ["out.png"]);
}

#[test]
fn the_picture_that_gen_makes() {
    let sandbox = Sandbox::new();
    sandbox.run("gen picture --rows 30 --cols 45 --seed 3 --out a.png");
    let pixels = marbles([30, 45], 3);
    assert_eq!(decoded(&sandbox.bytes("a.png")).into_rgb8().into_raw(), pixels);
    sandbox.run("gen picture --rows 30 --cols 45 --seed 3 --out a.npy");
    assert_eq!(sandbox.npy::<u8>("a.npy"), (vec![30, 45, 3], pixels.clone()));
    sandbox.run("gen picture --rows 30 --cols 45 --seed 3 --out a.bin");
    assert_eq!(sandbox.bytes("a.bin"), pixels);
    assert_eq!(SIZES, [1000, 1400]);
}
