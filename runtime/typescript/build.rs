//! Packs the platform's TypeScript compiler into the program, where the package is installed.
//!
//! Without it the program builds all the same and says at run time how to get the compiler.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLAYBOOK_TSC_PACKAGE");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (sha256, bytes) = match compiler().and_then(|path| packed(&path, &out)) {
        Ok(packed) => packed,
        Err(why) => {
            println!("cargo::warning=the program is built without the TypeScript compiler: {why}");
            // The note of an earlier compiler must not vouch for the empty archive.
            let _ = fs::remove_file(out.join("tsc.stamp"));
            fs::write(out.join("tsc.zst"), []).expect("OUT_DIR can be written");
            (String::new(), 0)
        }
    };
    println!("cargo::rustc-env=PLAYBOOK_TSC_SHA256={sha256}");
    println!("cargo::rustc-env=PLAYBOOK_TSC_BYTES={bytes}");
}

/// The compiler of the platform the program is built for.
fn compiler() -> io::Result<PathBuf> {
    let program = if target("OS") == "windows" { "tsc.exe" } else { "tsc" };
    let package = if let Some(folder) = env::var_os("PLAYBOOK_TSC_PACKAGE") {
        PathBuf::from(folder)
    } else {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let package = root.join("ui/node_modules/@typescript").join(package());
        // A folder that is not there yet is watched too: the next build finds what was installed meanwhile.
        let modules = root.join("ui/node_modules");
        let watched = [&package, &modules, &root.join("ui")].into_iter().find(|path| path.exists()).cloned();
        if let Some(watched) = watched.filter(|path| path != &package) {
            println!("cargo::rerun-if-changed={}", watched.display());
        }
        package
    };
    let path = package.join("lib").join(program);
    if !path.is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("{} is not there", path.display())));
    }
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(path)
}

fn package() -> String {
    let os = match target("OS").as_str() {
        "windows" => "win32".to_owned(),
        "macos" => "darwin".to_owned(),
        other => other.to_owned(),
    };
    let cpu = match target("ARCH").as_str() {
        "x86_64" => "x64".to_owned(),
        "aarch64" => "arm64".to_owned(),
        other => other.to_owned(),
    };
    format!("typescript-{os}-{cpu}")
}

fn target(what: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{what}")).expect("cargo describes the target")
}

/// Writes the compiler compressed, unless the same was written before; gives its digest and size.
fn packed(path: &Path, out: &Path) -> io::Result<(String, usize)> {
    let compiler = fs::read(path)?;
    let sha256: String = Sha256::digest(&compiler).iter().map(|byte| format!("{byte:02x}")).collect();
    // A release is downloaded, a debug build is waited for.
    let level = if env::var("PROFILE").as_deref() == Ok("release") { 19 } else { 3 };
    let stamp = format!("{sha256} {level}");
    let (archive, note) = (out.join("tsc.zst"), out.join("tsc.stamp"));
    if !archive.is_file() || fs::read_to_string(&note).ok().as_deref() != Some(&stamp) {
        let mut encoder = zstd::Encoder::new(fs::File::create(&archive)?, level)?;
        encoder.write_all(&compiler)?;
        encoder.finish()?.sync_all()?;
        fs::write(note, stamp)?;
    }
    Ok((sha256, compiler.len()))
}
