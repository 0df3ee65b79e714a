//! Reads a file, and makes Python's text of its bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};

use anyhow::{Result, bail};
use camino::Utf8Path;

/// The bytes of a file, in `buffer`, which grows and is used again. Is not called for what was no regular file just now:
/// to open a FIFO may take for ever.
pub fn read<'b>(path: &Utf8Path, size: u64, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let mut file = File::open(path)?;
    // What has come in its place meanwhile may never end.
    if !file.metadata()?.is_file() {
        bail!("it is not a file any more; it was not read, restore it or exclude it");
    }
    let mut filled = 0;
    // `read_to_end` would ask for the size once more, which is noticed over some ten thousand files.
    let mut wanted = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1);
    loop {
        if buffer.len() < wanted {
            buffer.try_reserve(wanted - buffer.len()).map_err(io::Error::from)?;
            buffer.resize(wanted, 0);
        }
        match file.read(&mut buffer[filled..]) {
            Ok(count) => {
                filled += count;
                // What is no longer than it was said to be, and has given less than it was asked for, has no more.
                if count == 0 || (filled < buffer.len() && filled as u64 == size) {
                    return Ok(&buffer[..filled]);
                }
            }
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err.into()),
        }
        if filled == buffer.len() {
            wanted = filled.saturating_mul(2);
        }
    }
}

/// Whether a text says of itself that it is UTF-16 or UTF-32. Python does not read it either.
pub fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Text as Python reads it with `utf-8-sig` and `errors="ignore"`: bytes that are not UTF-8 are dropped, so is one
/// byte order mark, and `\r\n` and `\r` become `\n`.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()),
    };
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}
