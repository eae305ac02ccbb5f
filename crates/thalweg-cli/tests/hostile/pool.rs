//! Files for commands that read: what other commands wrote.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::tree::Argument;

/// A file, named after what wrote it.
#[derive(Clone)]
pub struct File {
    pub name: String,
    pub bytes: Arc<Vec<u8>>,
}

/// All files that are known.
pub struct Pool {
    files: Vec<File>,
    /// What an argument of this name took last.
    taken: BTreeMap<String, String>,
}

impl Pool {
    /// With what no command writes.
    pub fn new() -> Self {
        let text = File { name: "text.txt".to_owned(), bytes: Arc::new(b"the text that is a text ".repeat(9)) };
        Self { files: vec![text], taken: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Adds a file, unless one of this name or content is there.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        // Another name than the result's, which would replace it.
        let name = format!("from-{name}");
        if !self.files.iter().any(|file| file.name == name || *file.bytes == bytes) {
            self.files.push(File { name, bytes: Arc::new(bytes) });
        }
    }

    pub fn note_taken(&mut self, argument: &Argument, name: &str) {
        self.taken.insert(argument.name.clone(), name.to_owned());
    }

    /// All of them, those first that suit the argument by name.
    pub fn for_argument(&self, argument: &Argument) -> Vec<File> {
        let mut files = self.files.clone();
        let taken = self.taken.get(&argument.name);
        let stem = argument.name.trim_end_matches('s');
        files.sort_by_key(|file| (taken != Some(&file.name), !file.name.contains(stem)));
        files
    }
}
