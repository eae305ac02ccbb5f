//! An array and its two indexes.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use thalweg_arrays::rmq::{RmqEngine, build_both};
use thalweg_core::bits::Bits;
use thalweg_core::{Error, Order, Rank, by_width};

use crate::{Guard, Kind, Watch};

/// The indexes for minima and for maxima.
pub type Indexes<'a> = [Box<dyn RmqEngine + 'a>; 2];

/// An array to be looked at. It can be asked while its indexes are still being built, and says so then.
pub struct Series<'a> {
    name: String,
    kind: Kind,
    bits: Bits<'a>,
    indexes: OnceLock<Result<Indexes<'a>, String>>,
    /// Elements that have been looked at.
    done: AtomicUsize,
    watches: Vec<Watch>,
    guards: Vec<Guard>,
    /// Something that was found out later.
    trouble: OnceLock<String>,
}

impl fmt::Debug for Series<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kind, .. } = self;
        f.debug_struct("Series").field("name", name).field("kind", &kind.name()).finish_non_exhaustive()
    }
}

impl<'a> Series<'a> {
    /// An array without indexes, of elements of this kind.
    ///
    /// # Panics
    /// If the elements have another width.
    pub fn new(name: impl Into<String>, kind: Kind, bits: Bits<'a>) -> Self {
        assert_eq!(bits.width(), kind.bytes(), "elements have the width of their kind");
        Self {
            name: name.into(),
            kind,
            bits,
            indexes: OnceLock::new(),
            done: AtomicUsize::new(0),
            watches: Vec::new(),
            guards: Vec::new(),
            trouble: OnceLock::new(),
        }
    }

    /// Also looks after a file that the array, or an index, lies in: it must stay as it is, and `mapped` are its bytes.
    pub fn watch(&mut self, watch: Watch, mapped: &[u8]) {
        self.watches.push(watch);
        self.guards.push(Guard::new(mapped));
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The array.
    pub fn bits(&self) -> Bits<'a> {
        self.bits
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Builds both indexes in one pass. `done` is told, by any thread, of elements that have been looked at.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; who asks later is told as well.
    pub fn build(&self, done: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        let count = |elements: usize| {
            self.done.fetch_add(elements, Ordering::Relaxed);
            done(elements);
        };
        match build_both(self.bits, self.kind.codings(), &count) {
            Ok(indexes) => {
                self.put(indexes);
                Ok(())
            }
            Err(error) => {
                let _ = self.indexes.set(Err(error.to_string()));
                Err(error)
            }
        }
    }

    /// Takes indexes that are there: for minima and for maxima, over this array. The first ones count.
    pub fn put(&self, indexes: Indexes<'a>) {
        self.done.store(self.len(), Ordering::Relaxed);
        let _ = self.indexes.set(Ok(indexes));
    }

    /// Notes that what is shown can no longer be relied upon, and why. The first reason counts.
    pub fn give_up(&self, reason: impl Into<String>) {
        let _ = self.trouble.set(reason.into());
    }

    /// Elements that have been looked at, of those that indexes are built over.
    pub fn progress(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the indexes are there.
    pub fn is_ready(&self) -> bool {
        matches!(self.indexes.get(), Some(Ok(_)))
    }

    /// What is wrong with it for good: no memory for its indexes, a file that has changed.
    pub fn trouble(&self) -> Option<String> {
        if let Some(trouble) = self.trouble.get() {
            return Some(trouble.clone());
        }
        if self.guards.iter().any(Guard::is_torn) {
            return Some(format!("{} was cut short, or could not be read, since it was opened", self.name));
        }
        if let Some(trouble) = self.watches.iter().find_map(|watch| watch.check().err()) {
            self.give_up(trouble);
            return self.trouble.get().cloned();
        }
        self.indexes.get().and_then(|indexes| indexes.as_ref().err().cloned())
    }

    /// The index for an order, if it is there.
    pub fn index(&self, order: Order) -> Option<&(dyn RmqEngine + 'a)> {
        let [minima, maxima] = self.indexes.get()?.as_ref().ok()?;
        Some(&**(if order == Order::Min { minima } else { maxima }))
    }

    /// The bits of an element.
    pub fn at(&self, position: usize) -> Option<u64> {
        by_width!(Bits, self.bits, words => words.get(position).map(|&word| word.to_u64()))
    }

    /// An element as text.
    pub(crate) fn shown(&self, position: usize) -> Option<String> {
        self.at(position).map(|bits| self.kind.show(bits))
    }
}
