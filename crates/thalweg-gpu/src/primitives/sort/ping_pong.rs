//! What the engines share: rounds that go from arrays to others and back, what goes with the keys, and how kernels see
//! both.

use thalweg_core::Result;

use crate::array::Keys;
use crate::kernel::Source;
use crate::primitives::combine::element;
use crate::recorder::Recorder;

/// What goes with the keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum Payload<'a> {
    None,
    /// Their positions.
    Indices,
    Array(&'a Keys),
}

impl Payload<'_> {
    /// Words of one.
    pub(super) fn words(&self) -> u32 {
        match self {
            Self::None => 0,
            Self::Indices => 1,
            Self::Array(array) => array.words(),
        }
    }
}

/// Keys and payloads in order, if they were asked for.
#[derive(Debug)]
pub(in crate::primitives) struct Sorted {
    keys: Option<Keys>,
    payloads: Option<Keys>,
}

impl Sorted {
    /// The keys, which were asked for.
    pub(in crate::primitives) fn keys(self) -> Keys {
        self.keys.expect("keys are kept")
    }

    /// The payloads, which were asked for.
    pub(in crate::primitives) fn payloads(self) -> Keys {
        self.payloads.expect("there are payloads")
    }

    /// Both.
    pub(in crate::primitives) fn both(self) -> (Keys, Keys) {
        (self.keys.expect("keys are kept"), self.payloads.expect("there are payloads"))
    }
}

/// Keys and what goes with them. Without payloads at the source and with payloads at the target, positions are made.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) keys: Keys,
    pub(super) payloads: Option<Keys>,
}

impl Items {
    fn keep_in(self, commands: &mut Recorder<'_>) {
        self.keys.keep_in(commands);
        self.payloads.into_iter().for_each(|payloads| payloads.keep_in(commands));
    }
}

/// What happens to the arrays that are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// They stay as they are.
    Stays,
    /// They are written to: their content is gone. New arrays have room for at least so many elements, as others have that
    /// come and go at the same time: then they can take each other's memory.
    IsUsedUp { room: u64 },
}

/// Records `rounds` rounds, at least one: `record(commands, round, from, to, keep_keys)`.
pub(super) fn record_rounds(
    commands: &mut Recorder<'_>,
    keys: &Keys,
    payload: Payload<'_>,
    (keep_keys, input): (bool, Input),
    rounds: u32,
    mut record: impl FnMut(&mut Recorder<'_>, u32, &Items, &Items, bool) -> Result<()>,
) -> Result<Sorted> {
    let (device, len) = (keys.device(), keys.len());
    let payload_words = payload.words();
    let payloads = if let Payload::Array(array) = payload { Some(array.clone()) } else { None };
    let mut source = Items { keys: keys.clone(), payloads };
    let room = if let Input::IsUsedUp { room } = input { room.max(len) } else { len };
    let new = |words| -> Result<Keys> {
        let mut keys = Keys::new(device, room, words)?;
        keys.truncate(len);
        Ok(keys)
    };
    // What the round before the last one has written is free for the next one.
    let mut spare: Option<Items> = None;
    for round in 0..rounds {
        let (spare_keys, spare_payloads) =
            spare.take().map_or((None, None), |items| (Some(items.keys), items.payloads));
        let target = Items {
            keys: spare_keys.map_or_else(|| new(keys.words()), Ok)?,
            payloads: match spare_payloads {
                None if payload_words > 0 => Some(new(payload_words)?),
                payloads => payloads,
            },
        };
        if len > 0 {
            record(commands, round, &source, &target, keep_keys || round + 1 < rounds)?;
        }
        let last = std::mem::replace(&mut source, target);
        if round > 0 || input != Input::Stays {
            spare = Some(last);
        }
    }
    if let Some(items) = spare {
        items.keep_in(commands);
    }
    if keep_keys {
        return Ok(Sorted { keys: Some(source.keys), payloads: source.payloads });
    }
    source.keys.keep_in(commands);
    Ok(Sorted { keys: None, payloads: source.payloads })
}

/// Declares the arrays of a round: `keys_at`, `keys_out_put`, `load_payload`, `store_payload`.
pub(super) fn declare<'a>(
    mut source: Source,
    from: &'a Items,
    to: &'a Items,
    keep_keys: bool,
) -> (Source, Vec<crate::memory::Binding<'a>>) {
    let payload_words = to.payloads.as_ref().map_or(0, Keys::words);
    source = source.flag("KEEP_KEYS", keep_keys).reads_sharded("keys", "Key", from.keys.sharding());
    let mut buffers: Vec<_> = from.keys.bindings().collect();
    if keep_keys {
        source = source.writes_sharded("keys_out", "Key", to.keys.sharding());
        buffers.extend(to.keys.bindings());
    } else {
        source = source.include("fn keys_out_put(i: u32, key: Key) {}\n");
    }
    source = source.include(match (&from.payloads, payload_words) {
        (_, 0) => include_str!("payload_none.wgsl"),
        (None, _) => include_str!("payload_indices.wgsl"),
        (Some(_), 1) => include_str!("payload_one_word.wgsl"),
        (Some(_), _) => include_str!("payload_two_words.wgsl"),
    });
    if let Some(from) = &from.payloads {
        source = source.reads_sharded("payloads", element(payload_words), from.sharding());
        buffers.extend(from.bindings());
    }
    if let Some(to) = &to.payloads {
        source = source.writes_sharded("payloads_out", element(payload_words), to.sharding());
        buffers.extend(to.bindings());
    }
    (source, buffers)
}
