//! Results that are named as a member of an archive.
//!
//! Such a file is written as a whole and has that array alone. So it may replace an archive that has no others, such as the result of the same
//! command before; of any other it would take what nobody has asked to be taken.

use crate::failure::{Failure, Outcome};
use crate::format::{Format, Named};
use crate::input::{Bytes, npz};

/// Names that are shown, at most.
const SHOWN: usize = 8;

/// Refuses a name behind which there is an archive with other arrays than this one.
pub fn keep_others(named: &Named) -> Outcome {
    let Some(part) = named.part.as_deref().filter(|_| named.format == Format::Npz && named.path.is_file()) else {
        return Ok(());
    };
    let name = named.path.display().to_string();
    let names = npz::names(Bytes::open(&named.path, &name)?.get());
    let own = part.trim_end_matches(".npy");
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|&other| other != own).collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown = others[..others.len().min(SHOWN)].join(", ");
    let dots = if others.len() > SHOWN { ", ..." } else { "" };
    let text =
        format!("has {shown}{dots} besides, which a new archive of {part} alone would replace: name another file");
    Err(Failure::at(name, text))
}
