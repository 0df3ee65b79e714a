//! Words a change of a file as a unified diff, which `git apply` and `patch -p1` apply. Bytes in, bytes out.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// Lines around a change.
const CONTEXT: usize = 3;

/// `path` is root-relative, or absolute; `old` is None of a file that is new. Nothing if there is no change.
pub fn unified(path: &str, old: Option<&[u8]>, new: &[u8]) -> Vec<u8> {
    let is_new = old.is_none();
    let (old, new) = (lines(old.unwrap_or_default()), lines(new));
    let hunks = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT);
    let mut patch = Vec::new();
    if !hunks.is_empty() {
        let before = if is_new { "--- /dev/null\n".to_owned() } else { header("---", "a", path) };
        patch.extend_from_slice(before.as_bytes());
        patch.extend_from_slice(header("+++", "b", path).as_bytes());
    }
    for hunk in hunks {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let old_span = span(first.old_range().start, last.old_range().end);
        let new_span = span(first.new_range().start, last.new_range().end);
        patch.extend_from_slice(format!("@@ -{old_span} +{new_span} @@\n").as_bytes());
        for op in hunk {
            for (sign, lines) in signed(&op, &old, &new) {
                lines.iter().for_each(|line| write_line(sign, line, &mut patch));
            }
        }
    }
    patch
}

/// Only `\n` ends a line of a patch.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

fn header(sign: &str, side: &str, path: &str) -> String {
    let path = path.trim_start_matches('/');
    // As git does: quoted where a name needs it, and with its end shown where that is not the first white space.
    if path.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
        return format!("{sign} \"{side}/{}\"\n", quoted(path));
    }
    format!("{sign} {side}/{path}{}\n", if path.contains(' ') { "\t" } else { "" })
}

/// As in C.
fn quoted(path: &str) -> String {
    let mut quoted = String::new();
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted += &format!("\\{byte:03o}"),
        }
    }
    quoted
}

/// Of lines from `start` to before `end`, indexes both.
fn span(start: usize, end: usize) -> String {
    match end - start {
        // The line before them, then.
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn signed<'l, 't>(op: &DiffOp, old: &'l [&'t [u8]], new: &'l [&'t [u8]]) -> Vec<(u8, &'l [&'t [u8]])> {
    let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
    match op.tag() {
        DiffTag::Equal => vec![(b' ', gone)],
        DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => vec![(b'-', gone), (b'+', come)],
    }
}

fn write_line(sign: u8, line: &[u8], patch: &mut Vec<u8>) {
    patch.push(sign);
    patch.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        patch.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}
