//! Windows along arrays in several buffers. A kernel that sees them all picks one for every access, and takes up to twice as long: so the
//! windows of each are answered by themselves, as if the array ended there, and those over the border of two from a copy of what they see.

use std::ops::Range;

use thalweg_core::Result;

use super::along::{Along, Found, Part};
use crate::array::Keys;
use crate::recorder::Recorder;

/// The widest windows that go this way: a buffer has as many of them side by side.
const WINDOWS_OF_BUFFER: u32 = 4;

/// Records windows by `solve`, of each buffer if there are more than can as well be seen `together`.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    along: &Along<'_>,
    together: u32,
    solve: impl Fn(&mut Recorder<'_>, &Along<'_>) -> Result<()>,
) -> Result<()> {
    let buffer = along.array.sharding().filter(|&(_, count)| count > together).map(|(shift, _)| 1 << shift);
    let is_large = |&buffer: &u32| along.rows == 1 && along.stride == 1 && along.width <= buffer / WINDOWS_OF_BUFFER;
    let Some(buffer) = buffer.filter(is_large) else { return solve(commands, along) };
    // Copies, kernels, copies: every change from one to the other takes the device some time.
    let borders = (buffer..along.len).step_by(buffer as usize);
    let over: Vec<_> =
        borders.filter_map(|border| Over::copied(commands, along, border).transpose()).collect::<Result<_>>()?;
    for (start, end, _) in along.array.pieces() {
        let windows = start as u32..along.count.min(end as u32);
        if !windows.is_empty() {
            one_buffer(along, windows, |along| solve(commands, along))?;
        }
    }
    over.iter().try_for_each(|over| solve(commands, &over.along(along)))?;
    over.into_iter().for_each(|over| over.put(commands, along));
    Ok(())
}

/// The windows from the first element of a buffer on, of which some reach over its end or its beginning, and are cut there.
fn one_buffer(along: &Along<'_>, windows: Range<u32>, solve: impl FnOnce(&Along<'_>) -> Result<()>) -> Result<()> {
    let origin = windows.start;
    let shard = |keys: &Keys| keys.shard_of(origin.into());
    let (array, _) = shard(along.array);
    // Answers are no wider than elements: one buffer of theirs holds those of one buffer of elements.
    let [values, positions] = [along.found.values, along.found.positions].map(|keys| keys.map(shard));
    let from = |shard: &Option<(Keys, u64)>| shard.as_ref().map_or(0, |(_, start)| origin - *start as u32);
    let part = Part { origin, found_from: from(&values), positions_from: from(&positions) };
    let [values, positions] = [&values, &positions].map(|shard| shard.as_ref().map(|(keys, _)| keys));
    let (len, count, found) = (array.len() as u32, windows.end - origin, Found { values, positions });
    solve(&Along { array: &array, len, count, found, part: Some(part), ..*along })
}

/// Windows that see elements on both sides of a border.
struct Over {
    windows: Range<u32>,
    /// The first element that is copied.
    origin: u32,
    array: Keys,
    values: Option<Keys>,
    positions: Option<Keys>,
}

impl Over {
    /// With a copy of their elements; `None` if none of the windows is wanted.
    fn copied(commands: &mut Recorder<'_>, along: &Along<'_>, border: u32) -> Result<Option<Self>> {
        let (device, reach) = (along.array.device(), along.width - 1);
        let first = border - reach;
        let windows = first + along.before..along.count.min(border + along.before);
        if windows.is_empty() {
            return Ok(None);
        }
        let origin = first / 4 * 4;
        let elements = u64::from(origin)..u64::from(along.len.min(border + reach));
        let array = Keys::new(device, elements.end - elements.start, along.array.words())?;
        along.array.copy(commands, elements, (&array, 0));
        let count = u64::from(windows.end - origin);
        let like = |keys: Option<&Keys>| keys.map(|keys| Keys::new(device, count, keys.words())).transpose();
        let (values, positions) = (like(along.found.values)?, like(along.found.positions)?);
        Ok(Some(Self { windows, origin, array, values, positions }))
    }

    /// All windows of the copy from its first element on: those wanted are the last of them.
    fn along<'o>(&'o self, whole: &Along<'o>) -> Along<'o> {
        Along {
            array: &self.array,
            len: self.array.len() as u32,
            count: self.windows.end - self.origin,
            found: Found { values: self.values.as_ref(), positions: self.positions.as_ref() },
            part: Some(Part { origin: self.origin, ..Part::default() }),
            ..*whole
        }
    }

    /// Puts the answers where they belong.
    fn put(self, commands: &mut Recorder<'_>, along: &Along<'_>) {
        let windows = [self.windows.start, self.windows.end].map(|window| u64::from(window - self.origin));
        let found = [(self.values, along.found.values), (self.positions, along.found.positions)];
        for (from, to) in found.into_iter().filter_map(|(from, to)| from.zip(to)) {
            from.copy(commands, windows[0]..windows[1], (to, self.windows.start.into()));
            from.keep_in(commands);
        }
        self.array.keep_in(commands);
    }
}
