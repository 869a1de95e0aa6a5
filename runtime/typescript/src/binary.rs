//! Where the compiler's program is, and how it gets there.
//!
//! It travels inside ours, compressed, and is unpacked once to the user's cache folder.
//! Nothing is run whose bytes were not checked.

use sha2::{Digest, Sha256};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The version whose words and protocol this crate knows.
pub(crate) const VERSION: &str = "7.0.2";

/// Names another program to use as the compiler; a `lib.d.ts` must lie beside it, empty or not.
const OVERRIDE: &str = "PLAYBOOK_TSC";

const PROGRAM: &str = if cfg!(windows) { "tsc.exe" } else { "tsc" };

/// The compiler refuses to start unless a file of this name lies beside it; it never reads it.
const BESIDE: &str = "lib.d.ts";

/// The compiler, compressed; empty where the build had none.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tsc.zst"));
const SHA256: &str = env!("PLAYBOOK_TSC_SHA256");
const BYTES: &str = env!("PLAYBOOK_TSC_BYTES");

/// Why there is no compiler to run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCompiler {
    /// The program was built without it, and none was named.
    #[error("{0}")]
    Missing(String),
    /// It is in the program and could not be unpacked.
    #[error("The TypeScript compiler could not be unpacked to {}: {source}.", folder.display())]
    Unpacking {
        /// Where it should be.
        folder: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The system names no folder for it.
    #[error("The TypeScript compiler has no folder to be unpacked to: set {OVERRIDE} to its program.")]
    Homeless,
}

/// The compiler's program, unpacked first where it must be.
pub(crate) fn program() -> Result<PathBuf, NoCompiler> {
    if let Some(named) = env::var_os(OVERRIDE) {
        return overridden(named);
    }
    if PACKED.is_empty() {
        return Err(NoCompiler::Missing(format!(
            "This program was built without the TypeScript compiler: run `npm install typescript@{VERSION}` \
             and set {OVERRIDE} to the `{PROGRAM}` in the package it installs for this computer."
        )));
    }
    let folder = cache()
        .ok_or(NoCompiler::Homeless)?
        .join("playbook-studio")
        .join(format!("tsc-{VERSION}-{}", &SHA256[..SHA256.len().min(16)]));
    unpacked(&folder).map_err(|source| NoCompiler::Unpacking { folder, source })
}

fn overridden(named: OsString) -> Result<PathBuf, NoCompiler> {
    let path = PathBuf::from(named);
    if path.is_file() {
        return Ok(path);
    }
    Err(NoCompiler::Missing(format!(
        "{OVERRIDE} names no file: set it to the `{PROGRAM}` of TypeScript {VERSION}, or unset it."
    )))
}

/// The user's cache folder, by the system's own custom.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| variable("HOME").map(|home| home.join(".cache")))
    }
}

/// The program in the folder, written there first unless it is whole already.
fn unpacked(folder: &Path) -> io::Result<PathBuf> {
    let program = folder.join(PROGRAM);
    if !is_whole(&program)? {
        fs::create_dir_all(folder)?;
        let compiler = zstd::decode_all(PACKED)?;
        if digest(&compiler) != SHA256 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the packed compiler is damaged"));
        }
        put(folder, &program, &compiler)?;
    }
    let beside = folder.join(BESIDE);
    if !beside.is_file() {
        put(folder, &beside, &[])?;
    }
    Ok(program)
}

/// Whether the file has exactly the bytes that were packed.
fn is_whole(program: &Path) -> io::Result<bool> {
    match fs::metadata(program) {
        Ok(found) if found.is_file() && found.len().to_string() == BYTES => Ok(digest(&fs::read(program)?) == SHA256),
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file under another name and renames it once it is on the disk, so that nobody sees half of it.
///
/// Two processes may do this at once: both write the same bytes, and either rename leaves a whole file.
fn put(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".unpacking-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    file.as_file().sync_all()?;
    let written = file.into_temp_path();
    match written.persist(path) {
        Ok(()) => Ok(()),
        // On Windows a program that runs cannot be replaced; the other process then put the same one there.
        Err(_) if is_same(path, bytes) => Ok(()),
        Err(refused) => Err(refused.error),
    }
}

fn is_same(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).is_ok_and(|found| found == bytes)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed() -> bool {
        assert!(
            !PACKED.is_empty(),
            "build with the TypeScript package: run `npm ci` in ui, or set PLAYBOOK_TSC_PACKAGE to its folder"
        );
        true
    }

    #[test]
    fn unpacks_once_and_repairs_what_is_damaged() {
        assert!(packed());
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("a/b");
        let program = unpacked(&folder).expect("it unpacks");
        let first = fs::metadata(&program).expect("it is there").modified().expect("a time");
        unpacked(&folder).expect("it is found");
        assert_eq!(fs::metadata(&program).expect("it is there").modified().expect("a time"), first);

        let whole = fs::read(&program).expect("it reads");
        fs::write(&program, &whole[..whole.len() / 2]).expect("half of it");
        unpacked(&folder).expect("it is repaired");
        assert!(is_whole(&program).expect("it reads"));

        let mut other = whole.clone();
        other[whole.len() / 2] ^= 1;
        fs::write(&program, &other).expect("one bit of it");
        unpacked(&folder).expect("it is repaired");
        assert!(is_whole(&program).expect("it reads"));
        assert!(folder.join(BESIDE).is_file());
        let names: Vec<_> =
            fs::read_dir(&folder).expect("a folder").map(|it| it.expect("an entry").file_name()).collect();
        assert_eq!(names.len(), 2, "nothing else is left: {names:?}");
    }

    #[test]
    fn many_unpack_at_once() {
        assert!(packed());
        let home = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| unpacked(home.path()))).collect();
            for thread in threads {
                thread.join().expect("no panic").expect("it unpacks");
            }
        });
        assert!(is_whole(&home.path().join(PROGRAM)).expect("it reads"));
    }

    #[test]
    fn a_name_that_is_no_file_is_said() {
        let refused = overridden("/no/such/tsc".into()).expect_err("there is no such file");
        assert!(refused.to_string().starts_with("PLAYBOOK_TSC names no file"), "{refused}");
    }
}
