//! Frames between a worker and its parent: a length in four bytes, low first, then MessagePack.

use crate::job::{PageDone, PageJob};
use playbook_model::time::Moment;
use playbook_sandbox::{Bounds, Program, Returned, Stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use tokio::io::{AsyncRead, AsyncReadExt};

/// More than any page: a frame longer than this is no frame.
const LONGEST: u32 = 1 << 30;

/// What a worker is asked.
#[derive(Serialize, Deserialize)]
pub(crate) enum Request {
    /// Call an export.
    Run {
        program: Program,
        export: String,
        arguments: Vec<String>,
        clock: Moment,
        /// Its milliseconds are what is left of the run's time.
        bounds: Bounds,
    },
    /// Evaluate an expression.
    Evaluate { text: String, names: Vec<String>, values: Vec<String>, clock: Moment, bounds: Bounds },
    /// Fold a page.
    Page(Box<PageJob>, Telling),
}

/// When a worker tells which event of its page it is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Telling {
    /// From time to time, so that an event that takes long is known.
    Now,
    /// Before each event, so that one that ends the worker is known.
    Each,
}

/// What a worker says.
#[derive(Serialize, Deserialize)]
pub(crate) enum Reply {
    /// It is at this event of the page of this number, counted from 1.
    At { page: u32, at: u32 },
    /// What the run or the expression gave.
    Run(Result<Returned, Stop>),
    /// What became of the page.
    Page(PageDone),
    /// It broke down and is of no further use.
    Broken(String),
}

fn invalid(why: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A message as a frame.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    rmp_serde::encode::write(&mut bytes, message).map_err(invalid)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the message is too long"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn length(bytes: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(bytes);
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the frame is too long"));
    }
    Ok(length as usize)
}

fn message<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    rmp_serde::from_slice(bytes).map_err(invalid)
}

/// Writes a message, whole.
pub(crate) fn write(to: &mut impl Write, sent: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(sent)?)?;
    to.flush()
}

/// Reads a message; `None` at the end of the input.
pub(crate) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut head = [0; 4];
    match from.read_exact(&mut head) {
        Ok(()) => {}
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(why) => return Err(why),
    }
    let mut bytes = vec![0; length(head)?];
    from.read_exact(&mut bytes)?;
    message(&bytes).map(Some)
}

/// Reads a message without blocking the thread.
pub(crate) async fn receive<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> io::Result<T> {
    let mut head = [0; 4];
    from.read_exact(&mut head).await?;
    let mut bytes = vec![0; length(head)?];
    from.read_exact(&mut bytes).await?;
    message(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Reply::At { page: 1, at: 7 }).expect("written");
        write(&mut bytes, &Reply::Run(Err(Stop::TooDeep))).expect("written");
        let mut from = &bytes[..];
        assert!(matches!(read::<Reply>(&mut from), Ok(Some(Reply::At { page: 1, at: 7 }))));
        assert!(matches!(read::<Reply>(&mut from), Ok(Some(Reply::Run(Err(Stop::TooDeep))))));
        assert!(matches!(read::<Reply>(&mut from), Ok(None)));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for bytes in [&[0xff, 0xff, 0xff, 0xff, 1][..], &[2, 0, 0, 0, 1], &[1, 0, 0, 0, 0xc1]] {
            assert!(read::<Reply>(&mut &bytes[..]).is_err());
        }
    }
}
