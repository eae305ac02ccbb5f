//! The conformance suite of blurs.

use thalweg_core::Result;
use thalweg_data::PictureKind;
use thalweg_data::pictures::NaiveBlur;
use thalweg_fourier::blur::{Engine, Options, Picture, Sample, gaussian};
use thalweg_fourier::convolution::Boundary;

/// Something that blurs pictures.
pub type Blur<'a, S> = &'a dyn Fn(&[S], Picture, &Options) -> Result<Vec<S>>;

/// Sizes of pictures: rows and columns around the blocks that engines have, and shorter than kernels.
const SIZES: &[[usize; 2]] = &[
    [1, 1],
    [1, 2],
    [2, 1],
    [3, 5],
    [1, 64],
    [70, 1],
    [4, 16],
    [5, 17],
    [16, 22],
    [33, 65],
    [67, 43],
    [130, 9],
    [66, 129],
];

const SIGMAS: &[[f64; 2]] = &[[0.1, 0.1], [0.4, 1.0], [1.0, 1.0], [2.5, 0.7], [5.0, 5.0], [11.0, 20.0]];

/// Holds an engine of the library to its contract, for all samples; see [`suite_of`].
///
/// # Panics
/// If a picture is wrong.
pub fn suite(engine: Engine) {
    suite_of::<u8>(engine.name(), &|pixels, picture, options| with(engine, pixels, picture, options));
    suite_of::<u16>(engine.name(), &|pixels, picture, options| with(engine, pixels, picture, options));
    suite_of::<f32>(engine.name(), &|pixels, picture, options| with(engine, pixels, picture, options));
    not_finite(engine);
}

fn with<S: Sample>(engine: Engine, pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    gaussian(pixels, picture, &Options { engine: Some(engine), ..*options })
}

/// Holds something that blurs to the contract, for one type of samples: every kind of pictures, one to four channels, with alpha
/// and without, all boundaries, small and large deviations, different ones down and across.
///
/// # Panics
/// If a sample is further than half a level, and 2^-20 of the largest (2^-19 with alpha), from the naive blur; or a picture of one colour changes.
pub fn suite_of<S: Sample>(name: &str, blur: Blur<'_, S>) {
    bad_input(name, blur);
    for (i, &[height, width]) in SIZES.iter().enumerate() {
        for channels in 1..=4 {
            for alpha in [false, true].into_iter().take(channels) {
                let picture = Picture { height, width, channels, alpha };
                for (j, &sigma) in SIGMAS.iter().enumerate() {
                    // Everything with many others, not with all.
                    let turn = 5 * i + 3 * j + channels + usize::from(alpha);
                    let boundary = Boundary::ALL[turn % 4];
                    let options = Options { sigma, boundary, engine: None };
                    check(name, picture, PictureKind::ALL[turn % 5], &options, blur);
                }
            }
        }
    }
    // Larger than a task; and a kernel that is much larger than the picture.
    for channels in [1, 4] {
        let picture = Picture { height: 150, width: 201, channels, alpha: channels == 4 };
        check(name, picture, PictureKind::Noise, &Options::new(3.0), blur);
        let options = Options { boundary: Boundary::Nearest, ..Options::new(30.0) };
        check(name, picture, PictureKind::Squares, &options, blur);
    }
    for &boundary in Boundary::ALL {
        let picture = Picture { height: 31, width: 23, channels: 3, alpha: false };
        check(name, picture, PictureKind::Noise, &Options { boundary, ..Options::new(200.0) }, blur);
    }
}

fn check<S: Sample>(name: &str, picture: Picture, kind: PictureKind, options: &Options, blur: Blur<'_, S>) {
    let Picture { height, width, channels, alpha } = picture;
    let said = || format!("{name}, {} of {picture:?} in {kind:?}, {options:?}", S::NAME);
    let pixels: Vec<S> = kind.make([height, width, channels], 7).iter().map(|x| S::of(x * S::OPAQUE)).collect();
    let naive =
        NaiveBlur { size: [height, width, channels], alpha, sigma: options.sigma, boundary: options.boundary.name() };
    let wanted = naive.blurred(&pixels.iter().map(|sample| sample.wide()).collect::<Vec<_>>());
    let blurred = blur(&pixels, picture, options).unwrap_or_else(|e| panic!("{}: {e}", said()));
    assert_eq!(blurred.len(), pixels.len(), "{}", said());
    // With alpha two sums are divided.
    let slack = S::OPAQUE / f64::from(1u32 << if alpha { 19 } else { 20 });
    let half_a_level = if S::OPAQUE > 1.0 { 0.5 } else { 0.0 };
    let is_close = |got: S, wanted: f64| (got.wide() - wanted).abs() <= half_a_level + slack;
    for (i, (got, wanted)) in blurred.chunks(channels).zip(wanted.chunks(channels)).enumerate() {
        let before = &pixels[i * channels..][..channels];
        let complain = || panic!("{}, pixel {i}: {got:?}, not {wanted:?}; it was {before:?}", said());
        let (mut wanted, mut got) = (wanted, got);
        if alpha {
            let opacity = wanted[channels - 1];
            if !is_close(got[channels - 1], opacity) {
                complain();
            }
            (wanted, got) = (&wanted[..channels - 1], &got[..channels - 1]);
            if S::is_transparent(opacity + slack) && got != &before[..channels - 1] {
                complain();
            }
            // Where alpha is about as large as what is rounded away, either will do.
            if S::is_transparent(opacity - slack) {
                continue;
            }
        }
        if got.iter().zip(wanted).any(|(&got, &wanted)| !is_close(got, wanted)) {
            complain();
        }
    }
    if kind == PictureKind::Constant && options.boundary != Boundary::Zero && S::OPAQUE > 1.0 {
        assert_eq!(blurred, pixels, "{}", said());
    }
}

fn bad_input<S: Sample>(name: &str, blur: Blur<'_, S>) {
    let grey = Picture { height: 2, width: 2, channels: 1, alpha: false };
    let pixels = [S::default(); 4];
    let fails = |picture: Picture, sigma: [f64; 2], wanted: &str| {
        let options = Options { sigma, ..Options::new(1.0) };
        let error = blur(&pixels, picture, &options).map(|_| ()).expect_err(name).to_string();
        assert_eq!(error, wanted, "{name}");
    };
    fails(Picture { height: 0, ..grey }, [1.0; 2], "the picture is empty");
    fails(Picture { channels: 0, ..grey }, [1.0; 2], "the picture: 0 channels, not 1 to 4");
    fails(Picture { channels: 5, ..grey }, [1.0; 2], "the picture: 5 channels, not 1 to 4");
    fails(Picture { alpha: true, ..grey }, [1.0; 2], "the picture: alpha, and no colour");
    fails(Picture { height: usize::MAX, ..grey }, [1.0; 2], "the picture: too many samples");
    fails(Picture { height: 3, ..grey }, [1.0; 2], "the picture: expected 6 elements, got 4");
    fails(grey, [0.0, 1.0], "sigma: 0 is not a finite number above 0");
    fails(grey, [1.0, -1.0], "sigma: -1 is not a finite number above 0");
    fails(grey, [1.0, f64::NAN], "sigma: NaN is not a finite number above 0");
    fails(grey, [f64::INFINITY, 1.0], "sigma: inf is not a finite number above 0");
    fails(grey, [1e9, 1.0], "sigma: 1000000000 is above 2^24");
}

/// NaN and infinities reach as far as the kernel, and no further.
fn not_finite(engine: Engine) {
    let (height, width) = (40, 50);
    for channels in [1, 3] {
        for (sigma, wrong) in [(1.0, f32::NAN), (3.0, f32::INFINITY), (2.0, f32::NEG_INFINITY)] {
            let picture = Picture { height, width, channels, alpha: false };
            let mut pixels: Vec<f32> =
                PictureKind::Noise.make([height, width, channels], 3).iter().map(|&x| x as f32).collect();
            pixels[(20 * width + 30) * channels] = wrong;
            let blurred = with(engine, &pixels, picture, &Options::new(sigma)).expect("a blur");
            let reach = (4.0 * sigma + 0.5) as usize;
            for (i, sample) in blurred.iter().enumerate() {
                let (y, x, channel) = (i / channels / width, i / channels % width, i % channels);
                let is_near = channel == 0 && y.abs_diff(20) <= reach && x.abs_diff(30) <= reach;
                assert_eq!(
                    sample.is_finite(),
                    !is_near,
                    "{engine}, {channels} channels, sigma {sigma}: {sample} at {y}, {x}"
                );
            }
        }
    }
}
