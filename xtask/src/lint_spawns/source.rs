//! Reads a file, and makes Python's text of its bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};

use camino::Utf8Path;

/// The bytes of a file in `buffer`, whose capacity is used again.
pub fn read(path: &Utf8Path, size: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.reserve(usize::try_from(size).unwrap_or(0).saturating_add(1));
    File::open(path)?.read_to_end(buffer)?;
    Ok(())
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
