//! Exact convolutions on the device: the conformance suite, the CPU's answers, blocks, pieces, products without 64 bits.

use thalweg_core::{Error, Result};
use thalweg_fourier::Shape;
use thalweg_fourier::convolution::{Boundary, Extent};
use thalweg_fourier::exact::{self as cpu, Engine, Kind, Numbers, Options, Task, Values};
use thalweg_gpu::fourier::exact::{convolve_of, run};
use thalweg_gpu::testing;
use thalweg_suites::fourier::exact::{Case, suite_of};

#[test]
fn suite() {
    let Some(device) = testing::device() else { return };
    suite_of("ntt on the device", 100_000, &|case: &Case<'_>| {
        let Case { array, shape, kernel, kernel_shape, options, kind } = case;
        Ok(convolve_of(&device, *array, shape, *kernel, kernel_shape, options, *kind)?.numbers)
    });
}

/// Both numbers of bits, transforms of every length, blocks and pieces: as the CPU says.
#[test]
fn as_on_the_cpu() {
    let Some(device) = testing::device() else { return };
    let noise = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 33);
    let array: Vec<i64> = (0..300_000).map(|i| noise(i) as i64).collect();
    let kernel: Vec<u16> = (0..100_000).map(|i| (noise(i + 7) >> 20) as u16).collect();
    let cases: &[(&[usize], &[usize], u32)] = &[
        (&[3000], &[1000], 12),
        (&[30_000], &[1000], 12),
        (&[30_000], &[1000], 14),
        (&[5000], &[4000], 12),
        (&[20_000], &[15_000], 13),
        (&[70_000], &[50_000], 25),
        (&[300_000], &[100_000], 25),
        (&[100, 120], &[30, 20], 12),
        (&[400, 700], &[40, 70], 25),
    ];
    for &(sizes, kernel_sizes, max_log) in cases {
        let (shape, kernel_shape) = (Shape::new(sizes).unwrap(), Shape::new(kernel_sizes).unwrap());
        let (array, kernel) = (Values::I64(&array[..shape.len()]), Values::U16(&kernel[..kernel_shape.len()]));
        for (boundary, extent, correlate) in
            [(Boundary::Zero, Extent::Full, false), (Boundary::Reflect, Extent::Same, true)]
        {
            let options = Options { boundary, extent, correlate, engine: Some(Engine::Ntt) };
            let task = Task::new(array, &shape, kernel, &kernel_shape, &options).unwrap();
            let want = cpu::convolve_of(array, &shape, kernel, &kernel_shape, &options, Kind::I128).unwrap().numbers;
            for int64 in [false, true] {
                if int64 && !device.limits().int64 {
                    continue;
                }
                let got = run(&device, &task, Kind::I128, max_log, int64).unwrap();
                assert!(got == want, "{sizes:?} {kernel_sizes:?} {max_log} {int64} {options:?}");
            }
            let told = |result: Result<Numbers>| result.map(|_| ()).unwrap_err();
            let want =
                told(cpu::convolve_of(array, &shape, kernel, &kernel_shape, &options, Kind::I64).map(|a| a.numbers));
            assert!(matches!(want, Error::Overflow { .. }));
            assert_eq!(told(run(&device, &task, Kind::I64, max_log, device.limits().int64)), want);
        }
    }
}

#[test]
fn other_engines_are_the_cpus() {
    let Some(device) = testing::device() else { return };
    let line = Shape::line(1).unwrap();
    let options = Options { engine: Some(Engine::Direct), ..Options::default() };
    let found = convolve_of(&device, Values::U8(&[1]), &line, Values::U8(&[1]), &line, &options, Kind::I64);
    let error = found.unwrap_err();
    assert!(matches!(error, Error::NotOnDevice { .. }), "{error}");
}

/// From 2^22 elements on there are two passes between rows.
#[test]
fn long_transforms() {
    let Some(device) = testing::device() else { return };
    let array: Vec<u8> = (0..1_600_000u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    let kernel = &array[100_000..];
    let (shape, kernel_shape) = (Shape::line(array.len()).unwrap(), Shape::line(kernel.len()).unwrap());
    let (array, kernel) = (Values::U8(&array), Values::U8(kernel));
    let options = Options { extent: Extent::Full, ..Options::default() };
    let want = cpu::convolve_of(array, &shape, kernel, &kernel_shape, &options, Kind::I64).unwrap().numbers;
    let got = convolve_of(&device, array, &shape, kernel, &kernel_shape, &options, Kind::I64).unwrap().numbers;
    assert!(got == want);
}
