//! Files that must stay as they are while they are mapped.

use std::fs::File;
use std::io;
use std::time::SystemTime;

/// An open file, and what it was like when it was opened.
#[derive(Debug)]
pub struct Watch {
    name: String,
    file: File,
    len: u64,
    modified: Option<SystemTime>,
}

impl Watch {
    /// From now on.
    ///
    /// # Errors
    /// If the system tells nothing of the file.
    pub fn new(name: impl Into<String>, file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { name: name.into(), file, len: metadata.len(), modified: metadata.modified().ok() })
    }

    /// Complains if the file has been written to or cut since. A system call, some 300 ns. (A file that was replaced by another
    /// of its name is still what it was, to who has it open.)
    ///
    /// # Errors
    /// What has happened to it.
    pub fn check(&self) -> Result<(), String> {
        let name = &self.name;
        match self.file.metadata() {
            Ok(now) if now.len() < self.len => Err(format!("{name} was cut short since it was opened")),
            Ok(now) if now.len() != self.len || now.modified().ok() != self.modified => {
                Err(format!("{name} was changed since it was opened"))
            }
            Ok(_) => Ok(()),
            Err(e) => Err(format!("{name} cannot be read any more: {e}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    #[test]
    fn writing_and_cutting_are_noticed_and_replacing_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let open = || Watch::new("a", File::open(&path).unwrap()).unwrap();
        fs::write(&path, [1; 100]).unwrap();
        let watch = open();
        assert_eq!(watch.check(), Ok(()));
        fs::write(folder.path().join("b"), [2; 50]).unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        assert_eq!(watch.check(), Ok(()));
        let watch = open();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(&[3]).unwrap();
        assert_eq!(watch.check(), Err("a was changed since it was opened".to_owned()));
        let watch = open();
        file.set_len(10).unwrap();
        assert_eq!(watch.check(), Err("a was cut short since it was opened".to_owned()));
        let watch = open();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(watch.check().is_err());
    }
}
