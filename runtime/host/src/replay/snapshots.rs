//! Views of a replay that were written down, in a file without a name that goes with whoever holds it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Views by the number of events folded before them.
#[derive(Debug)]
pub(crate) struct Snapshots {
    folder: PathBuf,
    file: Option<File>,
    kept: Vec<Kept>,
    end: u64,
    most: u64,
    /// How many times as far apart as at first views are written down by now.
    apart: u64,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    folded: u64,
    offset: u64,
    bytes: usize,
}

impl Snapshots {
    /// None yet. The file lies in a folder, and takes at most so many bytes.
    pub(crate) fn new(folder: &Path, most: u64) -> Self {
        Self { folder: folder.to_path_buf(), file: None, kept: Vec::new(), end: 0, most, apart: 1 }
    }

    /// How many times as far apart as at first views are to be written down.
    pub(crate) fn apart(&self) -> u64 {
        self.apart
    }

    /// Writes a view down. Past the bound every second one is let go of. Waits for the disk.
    ///
    /// # Errors
    /// The system's; what was written before stands.
    pub(crate) fn keep(&mut self, folded: u64, view: &str) -> io::Result<()> {
        if self.end.saturating_add(view.len() as u64) > self.most {
            self.thin()?;
            if self.end.saturating_add(view.len() as u64) > self.most {
                return Ok(());
            }
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(unnamed(&self.folder)?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(view.as_bytes())?;
        self.kept.push(Kept { folded, offset: self.end, bytes: view.len() });
        self.end += view.len() as u64;
        Ok(())
    }

    /// The last view written down after at most so many events. Waits for the disk.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn before(&mut self, folded: u64) -> io::Result<Option<(u64, String)>> {
        let after = self.kept.partition_point(|kept| kept.folded <= folded);
        let (Some(kept), Some(file)) = (after.checked_sub(1).and_then(|at| self.kept.get(at)), &mut self.file) else {
            return Ok(None);
        };
        Ok(Some((kept.folded, read(file, *kept)?)))
    }

    /// Up to which event views were written down.
    pub(crate) fn last(&self) -> u64 {
        self.kept.last().map_or(0, |kept| kept.folded)
    }

    fn thin(&mut self) -> io::Result<()> {
        self.apart = self.apart.saturating_mul(2);
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut thinner = unnamed(&self.folder)?;
        let (mut kept, mut end) = (Vec::with_capacity(self.kept.len() / 2), 0);
        for one in self.kept.iter().skip(1).step_by(2) {
            let view = read(file, *one)?;
            thinner.write_all(view.as_bytes())?;
            kept.push(Kept { offset: end, ..*one });
            end += view.len() as u64;
        }
        (self.file, self.kept, self.end) = (Some(thinner), kept, end);
        Ok(())
    }
}

/// A file in a folder, or where the system keeps such files when that cannot be.
fn unnamed(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile())
}

fn read(file: &mut File, kept: Kept) -> io::Result<String> {
    file.seek(SeekFrom::Start(kept.offset))?;
    let mut bytes = vec![0; kept.bytes];
    file.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_view_before_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut snapshots = Snapshots::new(folder.path(), 1 << 20);
        assert_eq!(snapshots.before(5).expect("read"), None);
        for folded in [10, 20, 30] {
            snapshots.keep(folded, &format!("view {folded}")).expect("kept");
        }
        assert_eq!(snapshots.before(9).expect("read"), None);
        assert_eq!(snapshots.before(10).expect("read"), Some((10, "view 10".into())));
        assert_eq!(snapshots.before(29).expect("read"), Some((20, "view 20".into())));
        assert_eq!(snapshots.before(u64::MAX).expect("read"), Some((30, "view 30".into())));
        assert_eq!((snapshots.last(), snapshots.apart()), (30, 1));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "the file has no name");
    }

    #[test]
    fn past_the_bound_every_second_view_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut snapshots = Snapshots::new(folder.path(), 1_000);
        let view = |folded: u64| format!("{folded:0100}");
        for folded in 1..=37 {
            snapshots.keep(folded, &view(folded)).expect("kept");
            assert!(snapshots.end <= 1_000 && snapshots.kept.len() <= 10);
        }
        assert!(snapshots.apart() > 1);
        for folded in 1..=37 {
            if let Some((at, text)) = snapshots.before(folded).expect("read") {
                assert!(at <= folded);
                assert_eq!(text, view(at));
            }
        }
        assert_eq!(snapshots.before(37).expect("read").map(|(at, _)| at), Some(37));
        snapshots.keep(38, &"x".repeat(2_000)).expect("one larger than all is not kept");
        assert_eq!(snapshots.last(), 36);
    }
}
