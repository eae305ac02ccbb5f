//! Integers with integers: exact.

use std::borrow::Cow;

use thalweg::Error;
use thalweg::fourier::exact::{Builder, Engine, Kind, Numbers, Values};
use thalweg_cli::device::{let_go, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::ndarray::{NdArray, index_of};
use thalweg_cli::output::Output;

use super::super::plain::Plain;
use super::{Args, Job, Told, engine, finish, told};
use crate::commands::Run;
use crate::commands::report::timed;

/// Convolves, checks, writes and reports.
pub fn solve(args: &Args, run: Run, array: &NdArray, kernel: &NdArray, job: &Job, out: Option<Output>) -> Outcome {
    let engine = engine::<Engine>(args, true)?;
    let options = job.options;
    let (values, weights) = (Integers::of(array)?, Integers::of(kernel)?);
    let builder = Builder::new().boundary(options.boundary).extent(options.extent).correlate(options.correlate);
    let builder = builder.engine(engine).device(args.device.open()?);
    let kind = if args.unsigned { Kind::U64 } else { Kind::I64 };
    run.progress.stage("answering");
    let (found, time) =
        timed(|| builder.convolve_of(values.values(), &array.shape, weights.values(), &kernel.shape, kind));
    let found = found.map_err(|error| match error {
        Error::Overflow { element, what } => {
            Failure::new(format_args!("element {} of the result does not fit {what}", index_of(&job.shape, element)))
        }
        error => told(error, array, kernel),
    })?;
    let (found, chosen) = found.into_parts();
    say_chosen(&run.progress, &chosen, engine.is_some());
    let_go(builder);

    run.progress.stage("checking");
    let plain = Plain::new(&array.shape, &kernel.shape, &job.options)?;
    let number = |i: usize| match &found {
        Numbers::I64(found) => i128::from(found[i]),
        Numbers::U64(found) => i128::from(found[i]),
        _ => unreachable!("one of the two was asked for"),
    };
    let verified = args.run.verify.check(job.shape.len(), &|_| 4 * kernel.shape.len(), &|i| {
        let expected = plain.integer(i, &|j| values.at(j), &|j| weights.at(j));
        let told = || format!("engine {}: element {i} is {}, but the sum is {expected}", chosen.engine(), number(i));
        (expected != number(i)).then(told)
    })?;
    let dtype = if args.unsigned { DType::U64 } else { DType::I64 };
    let told = Told { chosen, time, verified, dtype };
    match &found {
        Numbers::I64(found) => finish(args, run, [array, kernel], job, told, out, found),
        Numbers::U64(found) => finish(args, run, [array, kernel], job, told, out, found),
        _ => unreachable!("one of the two was asked for"),
    }
}

/// Integers of any type.
enum Integers<'a> {
    U8(Cow<'a, [u8]>),
    U16(Cow<'a, [u16]>),
    U32(Cow<'a, [u32]>),
    U64(Cow<'a, [u64]>),
    I8(Cow<'a, [i8]>),
    I16(Cow<'a, [i16]>),
    I32(Cow<'a, [i32]>),
    I64(Cow<'a, [i64]>),
}

macro_rules! for_integers {
    ($($variant:ident)*) => {
        impl<'a> Integers<'a> {
            fn of(array: &'a NdArray) -> Outcome<Self> {
                match array.dtype.part {
                    $(DType::$variant => array.elements().map(Self::$variant),)*
                    DType::F32 | DType::F64 => unreachable!("the caller has asked"),
                }
            }

            fn values(&self) -> Values<'_> {
                match self { $(Self::$variant(values) => Values::$variant(values),)* }
            }

            fn at(&self, index: usize) -> i128 {
                match self { $(Self::$variant(values) => i128::from(values[index]),)* }
            }
        }
    };
}
for_integers!(U8 U16 U32 U64 I8 I16 I32 I64);
