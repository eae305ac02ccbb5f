//! The engines on the GPU, by the names that the command line takes.

#[cfg(not(feature = "gpu"))]
pub const RMQ: &[&str] = &[];
#[cfg(not(feature = "gpu"))]
pub const ANSV: &[&str] = &[];

#[cfg(feature = "gpu")]
pub use on::{ANSV, RMQ, ansv, rmq};

#[cfg(feature = "gpu")]
mod on {
    use thalweg::ansv::AnsvEngine;
    use thalweg::{Key, Order, Rmq};
    use thalweg_gpu::{Device, ansv, rmq};

    use crate::failure::{Failure, Outcome};

    /// Names of the RMQ engines.
    pub const RMQ: &[&str] = &["lines", "hierarchy", "scan"];
    /// Names of the ANSV engines.
    pub const ANSV: &[&str] = &["tiles", "thesis"];

    /// Builds an index on the device. The plain scan has the same name on both devices for the user.
    pub fn rmq<'a, K: Key>(
        device: &Device,
        array: &'a [K],
        order: Order,
        engine: Option<&str>,
        chunk: Option<usize>,
        threshold: Option<usize>,
    ) -> Outcome<Rmq<'a, K>> {
        let engine =
            engine.map(|name| if name == "naive" { "scan" } else { name }.parse::<rmq::Engine>()).transpose()?;
        let small = |option: &str, value: Option<usize>| match value.map(u32::try_from).transpose() {
            Ok(value) => Ok(value),
            Err(_) => Err(Failure::at(option, "more than 32 bits")),
        };
        let (chunk, threshold) = (small("--chunk", chunk)?, small("--threshold", threshold)?);
        let builder = rmq::Builder::new().order(order).engine(engine).chunk(chunk).threshold(threshold);
        Ok(builder.build(device, array)?.into_rmq())
    }

    /// The engine on the device.
    pub fn ansv<K: Key>(device: &Device, engine: Option<&str>) -> Outcome<Box<dyn AnsvEngine<K>>> {
        let engine = engine.map(str::parse::<ansv::Engine>).transpose()?;
        Ok(Box::new(ansv::OnDevice::new(device, engine.unwrap_or(ansv::Builder::new().chosen()))))
    }
}
