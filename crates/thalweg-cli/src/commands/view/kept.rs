//! Indexes beside a file, for the next time.
//!
//! `A.npy.min.thw` and `A.npy.max.thw` hold no array: that is `A.npy`. They have its time of change, so that they are known to
//! belong to it; whoever changes the array, or copies files without their times, gets new ones.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thalweg::Order;
use thalweg::rmq::file::{Image, Stored};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::Array;
use thalweg_cli::output::{self, Output};
use thalweg_cli::progress::Progress;
use thalweg_core::bits::{self, Bits};
use thalweg_view::{Kind, Series};

/// An index from a file.
pub struct Kept {
    pub place: PathBuf,
    pub name: String,
    pub file: File,
    pub stored: Stored,
}

const ORDERS: [(Order, &str); 2] = [(Order::Min, "min"), (Order::Max, "max")];

fn place(path: &Path, order: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{order}.thw"));
    name.into()
}

/// When the array was changed, as it was opened.
fn modified(array: &Array) -> Option<SystemTime> {
    array.file()?.mapped()?.0.metadata().ok()?.modified().ok()
}

/// The indexes that lie beside the array, if both are there and belong to it; and are whole, if they are to be `verified` at once.
pub fn open(path: &Path, array: &Array, kind: Kind, verified: bool, progress: &Progress) -> Option<[Kept; 2]> {
    let mut found = Vec::new();
    for (order, name) in ORDERS {
        let place = place(path, name);
        let name = place.display().to_string();
        let file = File::open(&place).ok()?;
        if file.metadata().ok()?.modified().ok() != Some(modified(array)?) {
            progress.say(format_args!("index: {name} is not used: the array was changed since"));
            return None;
        }
        let opened = Stored::open(&place)
            .and_then(|stored| if verified { stored.verify().map(|()| stored) } else { Ok(stored) });
        let stored = match opened {
            Ok(stored) => stored,
            Err(e) => {
                progress.say(format_args!("index: not used: {e}"));
                return None;
            }
        };
        let header = stored.header();
        if (header.dtype, header.order, header.len) != (kind.name(), order, array.len) {
            progress.say(format_args!("index: {name} is not used: it is for another array"));
            return None;
        }
        progress.say(format_args!("index: {name}, mapped"));
        found.push(Kept { place, name, file, stored });
    }
    found.try_into().ok()
}

/// Saves both indexes.
pub fn save(path: &Path, array: &Array, series: &Series<'_>, progress: &Progress) -> Outcome {
    let when =
        modified(array).ok_or_else(|| Failure::at(path.display(), "the system does not tell when it was changed"))?;
    for (order, name) in ORDERS {
        let place = place(path, name);
        let mut out = Output::create(&place, true)?;
        let index = series.index(order).expect("it has been built");
        let image = Image::without_array(index, series.kind().name(), order)?;
        progress.steps("writing", image.header().file_bytes as usize);
        image.write_to(out.writer(progress)).map_err(|e| Failure::io(&out.name, &e))?;
        out.sync()?;
        if let Some(trouble) = series.trouble() {
            return Err(Failure::new(trouble));
        }
        output::commit([out])?;
        let failed = |e| Failure::io(place.display(), &e);
        File::options().write(true).open(&place).and_then(|file| file.set_modified(when)).map_err(failed)?;
    }
    Ok(())
}

/// The same array, lent.
pub fn lent(bits: Bits<'_>) -> bits::Array<'_> {
    match bits {
        Bits::U8(words) => bits::Array::U8(words.into()),
        Bits::U16(words) => bits::Array::U16(words.into()),
        Bits::U32(words) => bits::Array::U32(words.into()),
        Bits::U64(words) => bits::Array::U64(words.into()),
    }
}
