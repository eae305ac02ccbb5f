//! Blurs: the conformance suite for every engine, threads, agreement.

use thalweg_data::{PictureKind, with_threads};
use thalweg_fourier::blur::{Engine, Options, Picture, Sample, gaussian};
use thalweg_suites::at_every_level;
use thalweg_suites::fourier::blur::suite;

#[test]
fn naive() {
    suite(Engine::Naive);
}

#[test]
fn direct() {
    at_every_level(|| suite(Engine::Direct));
}

fn made<S: Sample>(picture: Picture) -> Vec<S> {
    let size = [picture.height, picture.width, picture.channels];
    PictureKind::Noise.make(size, 5).iter().map(|x| S::of(x * S::OPAQUE)).collect()
}

/// The same on any number of threads, bit for bit.
#[test]
fn threads_change_nothing() {
    let picture = Picture { height: 211, width: 190, channels: 3, alpha: false };
    let (bytes, floats) = (made::<u8>(picture), made::<f32>(picture));
    for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Naive) {
        for sigma in [1.0, 9.0] {
            let options = Options { engine: Some(engine), ..Options::new(sigma) };
            let on = |threads| {
                with_threads(threads, || {
                    let blurred = gaussian(&floats, picture, &options).unwrap();
                    let bits: Vec<u32> = blurred.iter().map(|x| x.to_bits()).collect();
                    (gaussian(&bytes, picture, &options).unwrap(), bits)
                })
            };
            let one = on(1);
            assert!(on(2) == one && on(8) == one, "{engine}, sigma {sigma}");
        }
    }
}

#[test]
fn spectral() {
    suite(Engine::Spectral);
}

/// Small deviations, small pictures and alpha by sums, large ones by transforms.
#[test]
fn the_rule() {
    use thalweg_fourier::blur::choose;
    let photo = Picture { height: 1000, width: 1400, channels: 3, alpha: false };
    let chosen = |picture, sigma| choose(picture, &Options::new(sigma)).unwrap();
    assert_eq!(chosen(photo, 1.0), Engine::Direct);
    assert_eq!(chosen(photo, 200.0), Engine::Spectral);
    assert_eq!(chosen(Picture { channels: 4, alpha: true, ..photo }, 200.0), Engine::Direct);
    assert_eq!(chosen(Picture { height: 10, width: 10, ..photo }, 200.0), Engine::Direct);
}
