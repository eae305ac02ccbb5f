//! What the engines share: rounds that go from arrays to others and back, what goes with the keys, and how kernels see
//! both.

use thalweg_core::{Key, Result};

use crate::array::DeviceArray;
use crate::coding;
use crate::kernel::Source;
use crate::primitives::combine::element;
use crate::recorder::Recorder;

/// What goes with the keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum Payload<'a, V: Key> {
    None,
    /// Their positions; `V` is `u32`.
    Indices,
    Array(&'a DeviceArray<V>),
}

/// Keys and payloads in order, if they were asked for.
pub(in crate::primitives) type Sorted<K, V> = (Option<DeviceArray<K>>, Option<DeviceArray<V>>);

/// Keys and what goes with them. Without payloads at the source and with payloads at the target, positions are made.
#[derive(Debug)]
pub(super) struct Items<K: Key, V: Key> {
    pub(super) keys: DeviceArray<K>,
    pub(super) payloads: Option<DeviceArray<V>>,
}

impl<K: Key, V: Key> Items<K, V> {
    fn keep_in(self, commands: &mut Recorder<'_>) {
        self.keys.keep_in(commands);
        self.payloads.into_iter().for_each(|payloads| payloads.keep_in(commands));
    }
}

/// Records `rounds` rounds, at least one: `record(commands, round, from, to, keep_keys)`. The input stays as it is.
pub(super) fn record_rounds<K: Key, V: Key>(
    commands: &mut Recorder<'_>,
    keys: &DeviceArray<K>,
    payload: Payload<'_, V>,
    keep_keys: bool,
    rounds: u32,
    mut record: impl FnMut(&mut Recorder<'_>, u32, &Items<K, V>, &Items<K, V>, bool) -> Result<()>,
) -> Result<Sorted<K, V>> {
    let (device, len) = (keys.device(), keys.len());
    let has_payload = !matches!(payload, Payload::None);
    let payloads = if let Payload::Array(array) = payload { Some(array.clone()) } else { None };
    let mut source = Items { keys: keys.clone(), payloads };
    // What the round before the last one has written is free for the next one.
    let mut spare: Option<Items<K, V>> = None;
    for round in 0..rounds {
        let target = match spare.take() {
            Some(target) => target,
            None => Items {
                keys: DeviceArray::new(device, len)?,
                payloads: has_payload.then(|| DeviceArray::new(device, len)).transpose()?,
            },
        };
        if len > 0 {
            record(commands, round, &source, &target, keep_keys || round + 1 < rounds)?;
        }
        let last = std::mem::replace(&mut source, target);
        if round > 0 {
            spare = Some(last);
        }
    }
    if let Some(items) = spare {
        items.keep_in(commands);
    }
    if keep_keys {
        return Ok((Some(source.keys), source.payloads));
    }
    source.keys.keep_in(commands);
    Ok((None, source.payloads))
}

/// Declares the arrays of a round: `keys_at`, `keys_out_put`, `load_payload`, `store_payload`.
pub(super) fn declare<'a, K: Key, V: Key>(
    mut source: Source,
    from: &'a Items<K, V>,
    to: &'a Items<K, V>,
    keep_keys: bool,
) -> (Source, Vec<crate::memory::Binding<'a>>) {
    let payload_words = to.payloads.as_ref().map_or(0, |_| coding::words::<V>());
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
