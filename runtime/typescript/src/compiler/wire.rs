//! The compiler's wire: MessagePack tuples of a type, a method's name and a JSON payload.
//!
//! Knows no method and no file.

use std::io::{self, Read, Write};

/// A tuple of three, as MessagePack marks it.
const TUPLE: u8 = 0x93;
/// The most bytes one field may take; more than any answer, and a bound on what a broken stream can ask for.
const FIELD_BYTES: usize = 256 * 1024 * 1024;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Ours: do this.
    Request = 1,
    /// Ours: the answer to a call.
    CallAnswer = 2,
    /// The compiler's: the answer to a request.
    Response = 4,
    /// The compiler's: a request failed.
    Error = 5,
    /// The compiler's: it needs something while it works on a request.
    Call = 6,
}

/// One message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) method: String,
    pub(super) payload: Vec<u8>,
}

/// Writes one message and hands it over.
pub(super) fn send(to: &mut impl Write, kind: Kind, method: &str, payload: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(method.len() + payload.len() + 12);
    bytes.extend([TUPLE, kind as u8]);
    field(&mut bytes, method.as_bytes());
    field(&mut bytes, payload);
    to.write_all(&bytes)?;
    to.flush()
}

fn field(to: &mut Vec<u8>, bytes: &[u8]) {
    let length = bytes.len();
    if let Ok(length) = u8::try_from(length) {
        to.extend([0xc4, length]);
    } else if let Ok(length) = u16::try_from(length) {
        to.push(0xc5);
        to.extend(length.to_be_bytes());
    } else {
        to.push(0xc6);
        to.extend(u32::try_from(length).expect("a message is far below 4 GiB").to_be_bytes());
    }
    to.extend(bytes);
}

/// Reads one message; waits for it.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Message> {
    if byte(from)? != TUPLE {
        return Err(broken("not a tuple of three"));
    }
    let kind = match byte(from)? {
        // The same number in the longer form that MessagePack allows.
        0xcc => byte(from)?,
        short => short,
    };
    let kind = match kind {
        4 => Kind::Response,
        5 => Kind::Error,
        6 => Kind::Call,
        _ => return Err(broken("an unknown type of message")),
    };
    let method = String::from_utf8(read_field(from)?).map_err(|_| broken("a method's name is no text"))?;
    let payload = read_field(from)?;
    Ok(Message { kind, method, payload })
}

fn read_field(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = match byte(from)? {
        0xc4 => usize::from(byte(from)?),
        0xc5 => usize::from(u16::from_be_bytes(exact(from)?)),
        0xc6 => u32::from_be_bytes(exact(from)?) as usize,
        _ => return Err(broken("a field that is not bytes")),
    };
    if length > FIELD_BYTES {
        return Err(broken("a field too large"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    exact::<1>(from).map(|[byte]| byte)
}

fn exact<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the compiler sent {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_field_comes_back() {
        for length in [0, 1, 255, 256, 65_535, 65_536] {
            let payload = vec![7; length];
            let mut bytes = Vec::new();
            send(&mut bytes, Kind::Request, "readFile", &payload).expect("memory takes it");
            // A response is what the other side would send.
            bytes[1] = Kind::Response as u8;
            let message = receive(&mut bytes.as_slice()).expect("it reads back");
            assert_eq!(message.method, "readFile");
            assert_eq!(message.payload, payload);
            assert_eq!(message.kind, Kind::Response);
        }
    }

    #[test]
    fn a_broken_stream_is_an_error() {
        let cases: [&[u8]; 6] =
            [b"", b"\x92\x04", b"\x93\x09", b"\x93\x04\x01", b"\x93\x04\xc4\x01\xff", b"\x93\x04\xc6\xff\xff\xff\xff"];
        for bytes in cases {
            assert!(receive(&mut &bytes[..]).is_err());
        }
    }
}
