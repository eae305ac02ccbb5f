//! `thalweg blur`: a picture, blurred.

mod direct;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use thalweg::Answer;
use thalweg::fourier::blur::{Builder, Engine, Picture, Sample};
use thalweg::fourier::convolution::Boundary;
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::numbers::show_count;
use thalweg_cli::output;
use thalweg_cli::raster::{Colours, Format, Raster, Samples};
use thalweg_data::marbles::{SIZES, marbles};

use self::direct::Direct;
use super::report::timed;
use super::summary::{BareRunArgs, Summary};
use super::verify::VerifyArgs;

/// Blur a picture: a Gaussian over all pixels
///
/// PNG or JPEG, grey or colour, with or without alpha, 8 or 16 bits. Without a file, blurs a built-in picture of marbles and
/// says what it did.
#[derive(clap::Args)]
#[command(
    after_help = "The Gaussian is cut off at four standard deviations, as scipy.ndimage.gaussian_filter does, and \
    works on the samples as they are stored. Colours count as much as they are opaque. The content tells the format of \
    --image, the name that of --out; - is standard input, or PNG on standard output. JPEG holds 8 bits, so 16 are rounded, and \
    no alpha. Palettes become RGB; a picture is turned as its Exif says; a colour profile is kept, other metadata is not. The \
    report goes to stdout, or to stderr if the picture does."
)]
pub struct Args {
    /// The picture: PNG or JPEG
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// Where the blurred picture goes: .png, .jpg or .jpeg
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The Gaussian's standard deviation in pixels; two numbers for down the columns and along the rows
    #[arg(long, value_name = "PIXELS", value_delimiter = ',', num_args = 1..=2, default_value = "10",
        allow_negative_numbers = true)]
    sigma: Vec<f64>,

    /// What lies beyond the borders: zeros, the other side, the picture mirrored, or its last pixels
    #[arg(long, value_parser = one_of(Boundary::ALL, Boundary::name), default_value = "reflect")]
    boundary: Boundary,

    /// Quality of a JPEG, from 1 to 100 [default: 90]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100), requires = "out")]
    quality: Option<u8>,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    verify: VerifyArgs,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let sigma = match args.sigma[..] {
        [sigma] => [sigma; 2],
        [down, along] => [down, along],
        _ => return Err(Failure::at("--sigma", "expected one number, or two with a comma between them")),
    };
    let format = args.out.as_deref().map(|path| Format::of_name(path, args.quality.unwrap_or(90))).transpose()?;
    if args.quality.is_some() && format == Some(Format::Png) {
        return Err(Failure::new("--quality is for JPEG, and the picture becomes a PNG"));
    }
    let mut run = args.run.start(Some(&args.device))?;
    run.progress.stage("reading");
    let (mut picture, origin) = match &args.image {
        Some(path) => (Raster::open(path)?, thalweg_cli::input::name_of(path)),
        None => (built_in(SIZES, 7), "marbles, built in".to_owned()),
    };
    if let (Some(path), Some(format)) = (&args.out, format) {
        picture.check_format(format, &path.display().to_string())?;
    }
    let out = run.bytes_output(args.out.as_deref())?;
    let [width, height] = [picture.width, picture.height].map(show_count);
    let pixels = picture.width * picture.height;
    let kind = format!("{}, {} bits", picture.colours.name(), picture.samples.bits());
    run.progress.say(format_args!("picture: {origin}, {width} x {height}, {kind}"));

    let sizes = Picture {
        height: picture.height,
        width: picture.width,
        channels: picture.colours.channels(),
        alpha: picture.colours.has_alpha(),
    };
    let device = args.device.open()?;
    let builder = Builder::new(sigma[0]).sigma(sigma).boundary(args.boundary).engine(args.engine).device(device);
    let direct = Direct { sizes, sigma, boundary: args.boundary };
    run.progress.stage("blurring");
    let (blurred, time, verified) = match &picture.samples {
        Samples::U8(samples) => blur(&args, &builder, &direct, samples)?.map(Samples::U8),
        Samples::U16(samples) => blur(&args, &builder, &direct, samples)?.map(Samples::U16),
    }
    .into_parts();
    let (samples, chosen) = blurred.into_parts();
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    picture.samples = samples;

    let mut summary = Summary::new("blur");
    summary.line("picture", format_args!("{width} x {height}, {kind} ({origin})"));
    let bits = picture.samples.bits();
    summary.value(
        "picture",
        json!({"origin": origin, "width": picture.width, "height": picture.height, "colours": picture.colours.name(), "bits": bits}),
    );
    let shown = if sigma[0] == sigma[1] { sigma[0].to_string() } else { format!("{} and {}", sigma[0], sigma[1]) };
    summary.line("asked", format_args!("sigma {shown}, boundary {}", args.boundary));
    summary.value("sigma", sigma.to_vec());
    summary.value("boundary", args.boundary.name());
    summary.answered(&chosen, run.threads, "");
    summary.speed(time, pixels, "pixel");
    summary.verified(verified, pixels, "pixel", "equal to the plain sums, rounded");
    match (out, format) {
        (Some(mut out), Some(format)) => {
            run.progress.stage("writing");
            let bytes = picture.encode(format, &out.name)?;
            out.write_bytes(&bytes)?;
            summary.written(&out.name, bytes.len());
            output::commit([out])?;
        }
        _ => summary.line("kept", "nothing; --out blurred.png writes the picture"),
    }
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// The picture that is blurred where no other is named.
pub fn built_in(sizes: [usize; 2], seed: u64) -> Raster {
    let [height, width] = sizes;
    let samples = Samples::U8(marbles(sizes, seed));
    Raster { height, width, colours: Colours::Rgb, samples, profile: None }
}

/// Samples, the time they took, and how many pixels were checked.
struct Blurred<T> {
    samples: Answer<T>,
    time: Duration,
    verified: usize,
}

impl<T> Blurred<T> {
    fn map<U>(self, make: impl FnOnce(T) -> U) -> Blurred<U> {
        Blurred { samples: self.samples.map(make), time: self.time, verified: self.verified }
    }

    fn into_parts(self) -> (Answer<T>, Duration, usize) {
        (self.samples, self.time, self.verified)
    }
}

fn blur<S: Sample>(args: &Args, builder: &Builder, direct: &Direct, samples: &[S]) -> Outcome<Blurred<Vec<S>>> {
    let (found, time) = timed(|| builder.blur(samples, direct.sizes));
    let found = found.map_err(|error| match error {
        thalweg::Error::BadOption { option, reason } => Failure::at(format_args!("--{option}"), reason),
        other => other.into(),
    })?;
    let kernels = direct.kernels();
    let cost = direct.steps(&kernels);
    let verified = args.verify.check(direct.sizes.height * direct.sizes.width, &|_| cost, &|pixel| {
        let complaint = direct.complaint(&kernels, samples, &found, pixel);
        complaint.map(|text| format!("engine {}: {text}", found.chosen().engine()))
    })?;
    Ok(Blurred { samples: found, time, verified })
}
