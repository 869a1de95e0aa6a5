//! A file that is written beside its place and takes it only when it is whole.

use crate::ended::{Failure, cannot};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Whether a file that is there may be written over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays, and nothing is written.
    Stays,
    /// It is replaced.
    Replaced,
}

/// A file being written.
pub(crate) struct Written {
    path: PathBuf,
    beside: PathBuf,
    existing: Existing,
    /// None once the file has taken its place.
    out: Option<BufWriter<File>>,
}

impl Written {
    /// Begins a file.
    ///
    /// # Errors
    /// A sentence: a file is there that stays, or the folder takes none.
    pub(crate) fn begin(path: &Path, existing: Existing) -> Result<Self, Failure> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let Some(name) = name else { return Err(cannot(format!("{} names no file", path.display()))) };
        if path.is_dir() {
            return Err(cannot(format!("{} is a folder; name a file in it", path.display())));
        }
        if existing == Existing::Stays && path.exists() {
            return Err(there(path));
        }
        let beside = path.with_file_name(format!(".{name}.{}.writing", std::process::id()));
        let file = File::create(&beside).map_err(|why| unwritten(path, &why))?;
        Ok(Self { path: path.into(), beside, existing, out: Some(BufWriter::new(file)) })
    }

    /// Lets the file take its place.
    ///
    /// # Errors
    /// A sentence; what is at the place is then as it was.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let placed = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            file.sync_all()?;
            drop(file);
            match self.existing {
                Existing::Replaced => std::fs::rename(&self.beside, &self.path),
                // A link is made only where nothing is; what lies beside goes as this value does.
                Existing::Stays => match std::fs::hard_link(&self.beside, &self.path) {
                    Err(why) if why.kind() != io::ErrorKind::AlreadyExists && !self.path.exists() => {
                        std::fs::rename(&self.beside, &self.path)
                    }
                    linked => linked,
                },
            }
        });
        placed.map_err(|why| {
            if why.kind() == io::ErrorKind::AlreadyExists { there(&self.path) } else { unwritten(&self.path, &why) }
        })
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(0), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.out = None;
        // It is gone already where it took its place by its name.
        let _ = std::fs::remove_file(&self.beside);
    }
}

fn there(path: &Path) -> Failure {
    cannot(format!("{} is there already; write over it with --force, or choose another name", path.display()))
}

fn unwritten(path: &Path, why: &io::Error) -> Failure {
    cannot(format!("{} cannot be written: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("events.jsonl");
        let begin = |existing| Written::begin(&path, existing);
        let mut half = begin(Existing::Stays).expect("begun");
        half.write_all(b"half").expect("written");
        drop(half);
        assert_eq!(std::fs::read_dir(place.path()).expect("read").count(), 0);
        let mut late = begin(Existing::Stays).expect("begun");
        late.write_all(b"late").expect("written");
        std::fs::write(&path, "theirs").expect("written");
        assert!(late.finish().is_err());
        assert!(begin(Existing::Stays).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "theirs");
        let mut ours = begin(Existing::Replaced).expect("begun");
        ours.write_all(b"ours").expect("written");
        assert!(ours.finish().is_ok());
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "ours");
        std::fs::remove_file(&path).expect("removed");
        assert!(begin(Existing::Stays).expect("begun").finish().is_ok());
        assert_eq!(std::fs::read_dir(place.path()).expect("read").count(), 1);
        assert!(Written::begin(place.path(), Existing::Replaced).is_err());
    }
}
