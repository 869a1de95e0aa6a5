//! What the program was asked to do. Knows words alone; opens nothing.

use std::ffi::OsString;
use std::path::PathBuf;

/// Shown by `--help`.
pub(crate) const HELP: &str = "\
Playbook Studio: write, run and publish playbooks.

Usage: playbook-studio [FOLDER | --sample]

Arguments:
  FOLDER      The playbook's folder to open

Options:
      --sample    Open the sample playbook, a copy in your own data folder
  -h, --help      Show this text
  -V, --version   Show the version

Examples:
  playbook-studio
  playbook-studio ~/playbooks/campaign-review
  playbook-studio --sample

Environment:
  PLAYBOOK_LOG                        How much to note on standard error, such as debug
  XDG_DATA_HOME, XDG_CONFIG_HOME      Where the program keeps its own files, on Linux
  WEBKIT_DISABLE_DMABUF_RENDERER      Set to 1 or 0 to choose how the window is drawn, on Linux";

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Open the window.
    Open(Open),
    /// Show how the program is used.
    Help,
    /// Show the version.
    Version,
}

/// What the window shows first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Open {
    /// Home.
    Home,
    /// A playbook's folder.
    Folder(PathBuf),
    /// The sample playbook.
    Sample,
}

/// Reads the arguments after the program's own name.
///
/// # Errors
/// A sentence for the person when they ask for what is not there.
pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Wish, String> {
    let mut open = Open::Home;
    let mut only_paths = false;
    for argument in arguments {
        let word = argument.to_str().filter(|_| !only_paths).unwrap_or_default();
        let next = match word {
            "-h" | "--help" => return Ok(Wish::Help),
            "-V" | "--version" => return Ok(Wish::Version),
            "--" => {
                only_paths = true;
                continue;
            }
            "--sample" => Open::Sample,
            // The Finder passes its own number for the process.
            _ if word.starts_with("-psn_") => continue,
            _ if word.starts_with('-') => {
                return Err(format!("There is no option {word}. See 'playbook-studio --help'."));
            }
            _ => Open::Folder(PathBuf::from(argument)),
        };
        if open != Open::Home {
            return Err("One window shows one playbook: name one folder, or --sample.".to_owned());
        }
        open = next;
    }
    Ok(Wish::Open(open))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_words(words: &[&str]) -> Result<Wish, String> {
        read(words.iter().map(OsString::from))
    }

    #[test]
    fn nothing_opens_home() {
        assert_eq!(read_words(&[]), Ok(Wish::Open(Open::Home)));
    }

    #[test]
    fn a_path_is_the_folder_and_dashes_can_be_part_of_it() {
        assert_eq!(read_words(&["a folder"]), Ok(Wish::Open(Open::Folder("a folder".into()))));
        assert_eq!(read_words(&["--", "--sample"]), Ok(Wish::Open(Open::Folder("--sample".into()))));
    }

    #[test]
    fn the_sample_is_an_option() {
        assert_eq!(read_words(&["--sample"]), Ok(Wish::Open(Open::Sample)));
    }

    #[test]
    fn two_folders_and_unknown_options_are_refused_in_words() {
        assert!(read_words(&["a", "b"]).unwrap_err().contains("one folder"));
        assert!(read_words(&["--sample", "b"]).unwrap_err().contains("one folder"));
        assert!(read_words(&["--fast"]).unwrap_err().contains("--fast"));
    }

    #[test]
    fn help_and_version_win() {
        assert_eq!(read_words(&["a", "--help"]), Ok(Wish::Help));
        assert_eq!(read_words(&["-V"]), Ok(Wish::Version));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let path = OsString::from_vec(vec![b'/', 0xff]);
        assert_eq!(read([path.clone()]), Ok(Wish::Open(Open::Folder(path.into()))));
    }
}
