//! Parents, and other numbers of nodes, checked.

use thalweg_core::{Error, Result};

use crate::array::DeviceArray;
use crate::list;
use crate::primitives::elementwise::Elementwise;
use crate::transfer::read_word;

/// An error for more parents than there may be, and for the first that is no node.
pub(super) fn check_parents(parents: &DeviceArray<u32>) -> Result<()> {
    let len = parents.count();
    if len > list::MOST - 1 {
        return Err(Error::device_limit(format!("forest of {len} nodes: more than {}", list::MOST - 1)));
    }
    first_bad(parents, len, true)?.map_or(Ok(()), |(element, to)| {
        Err(Error::Link { what: "node", element: element as usize, to: to.into(), len: len as usize })
    })
}

/// The error for parents with a cycle: names the smallest node on one. By walking on the host, as there is no result
/// to compute any more.
pub(super) fn cycle(parents: &DeviceArray<u32>) -> Result<Error> {
    let parents = parents.to_vec()?;
    let mut seen_by = vec![u32::MAX; parents.len()];
    let mut first = parents.len();
    for start in 0..parents.len() {
        let mut at = start;
        while seen_by[at] == u32::MAX {
            seen_by[at] = start as u32;
            match parents[at] as usize {
                up if parents[at] != u32::MAX && up != at => at = up,
                _ => break,
            }
        }
        // A way that meets itself, and not at a root, is a cycle from there on.
        if seen_by[at] == start as u32 && parents[at] != u32::MAX && parents[at] as usize != at {
            let mut on = at;
            loop {
                first = first.min(on);
                on = parents[on] as usize;
                if on == at {
                    break;
                }
            }
        }
    }
    Ok(Error::Cycle { what: "node", element: first.min(parents.len().saturating_sub(1)) })
}

/// The first entry that is no node, and what it is. With `or_none`, `u32::MAX` is allowed.
pub(super) fn first_bad(nodes: &DeviceArray<u32>, len: u64, or_none: bool) -> Result<Option<(u32, u32)>> {
    let device = nodes.device();
    let bad = device.words(1, "entries that are no nodes")?;
    let mut commands = device.record();
    commands.clear(&bad, 4);
    Elementwise::new(device, nodes.count(), "check nodes", include_str!("check.wgsl"))
        .flag("OR_NONE", or_none)
        .reads("nodes", "u32", nodes)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[len as u32])?;
    commands.submit()?;
    match read_word(device, &bad, 0)? {
        0 => Ok(None),
        bad => Ok(Some((!bad, list::element_of(nodes, (!bad).into())?))),
    }
}
