//! Points on the device.

use std::borrow::Cow;

use thalweg_core::{Coding, Error, Key, Order, Result};
use thalweg_geometry::{Coordinate, Stored};

use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::primitives::combine::element;
use crate::primitives::elementwise::Elementwise;
use crate::wgsl;

/// Points on the device: the two coordinates of each beside each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points<'a> {
    keys: &'a Keys,
    coding: Coding,
    download: fn(&Keys) -> Result<Stored<'static, 2>>,
}

impl<'a> Points<'a> {
    /// Of an array of coordinates.
    pub(super) fn of<K: Key + Coordinate>(array: &'a DeviceArray<K>) -> Result<Self> {
        let len = array.len();
        if !len.is_multiple_of(2) {
            return Err(Error::Length { what: "coordinates of points, two each", expected: len + 1, got: len });
        }
        super::check_len(array.count() / 2)?;
        Ok(Self { keys: array.keys(), coding: Coding::of::<K>(Order::Min), download: download::<K> })
    }

    pub(super) fn device(&self) -> &'a Device {
        self.keys.device()
    }

    pub(super) fn keys(&self) -> &'a Keys {
        self.keys
    }

    pub(super) fn coding(&self) -> Coding {
        self.coding
    }

    pub(super) fn len(&self) -> u64 {
        self.keys.len() / 2
    }

    /// All of them, on the host.
    pub(super) fn all(&self) -> Result<Stored<'static, 2>> {
        (self.download)(self.keys)
    }

    /// One of each of `count` stretches of `step` points, on the host.
    pub(super) fn sample(&self, count: u64, step: u64) -> Result<Stored<'static, 2>> {
        self.gathered(count, |kernel| kernel.include(wgsl::MIX), "i * params.a + mixed(i) % params.a", step as u32)
    }

    /// Those at some places, on the host.
    pub(super) fn at(&self, places: &[u32]) -> Result<Stored<'static, 2>> {
        let places = self.device().upload(places)?;
        self.gathered(places.count(), |kernel| kernel.reads("places", "u32", &places), "places_at(i)", 0)
    }

    /// The points at `count` places; `place` is an expression of `i` and `params.a`.
    fn gathered<'k>(
        &self,
        count: u64,
        declare: impl FnOnce(Elementwise<'k>) -> Elementwise<'k>,
        place: &str,
        a: u32,
    ) -> Result<Stored<'static, 2>>
    where
        'a: 'k,
    {
        let element = element(self.keys.words());
        let rows = Keys::new(self.device(), 2 * count, self.keys.words())?;
        let body = format!(
            "let point = {place}; rows_put(2u * i, points_at(2u * point)); rows_put(2u * i + 1u, points_at(2u * point + 1u));"
        );
        let bound = rows.clone();
        let mut commands = self.device().record();
        declare(Elementwise::statement(self.device(), count, "points", &body))
            .reads("points", element, self.keys)
            .writes("rows", element, &bound)
            .dispatch(&mut commands, &[a])?;
        commands.submit()?;
        (self.download)(&rows)
    }
}

/// Brings points to the host.
fn download<K: Key + Coordinate>(keys: &Keys) -> Result<Stored<'static, 2>> {
    let flat = keys.typed::<K>().to_vec()?;
    let (rows, _) = flat.as_chunks::<2>();
    Ok(match K::stored(rows)? {
        Stored::I32 { rows, origin } => Stored::I32 { rows: Cow::Owned(rows.into_owned()), origin },
        Stored::I64 { rows, origin } => Stored::I64 { rows: Cow::Owned(rows.into_owned()), origin },
        Stored::F32(rows) => Stored::F32(Cow::Owned(rows.into_owned())),
        Stored::F64(rows) => Stored::F64(Cow::Owned(rows.into_owned())),
    })
}
