//! What holds for the cutting of any text, Python or not.

use std::ops::Range;

use anyhow::{Result, ensure};
use xtask::lint_spawns::python::statement::{self, Statement};

const NEEDLES: [&str; 3] = ["start_new_session", "process_group", "setsid"];

/// Checks everything in this module for `text`, which is decoded: `\n` is its only line break.
pub(crate) fn hold(text: &str) -> Result<()> {
    let lines: Vec<Range<usize>> = statement::logical_lines(text).collect();
    lines_make_up_the_text(text, &lines)?;
    let mut needles: Vec<Range<usize>> =
        NEEDLES.iter().flat_map(|needle| text.match_indices(needle)).map(|(at, found)| at..at + found.len()).collect();
    needles.sort_unstable_by_key(|needle| needle.start);
    let mut end = 0;
    for statement in statement::cut(text, &needles) {
        ensure!(statement.start >= end, "statements overlap or are out of order at {}", statement.start);
        end = statement.start + statement.text.len();
        statement_is_made_of_lines(text, &needles, &statement)?;
        modules_keep_every_offset(&statement)?;
    }
    Ok(())
}

fn lines_make_up_the_text(text: &str, lines: &[Range<usize>]) -> Result<()> {
    let mut expected = 0;
    for line in lines {
        ensure!(line.start == expected, "a logical line starts at {}, not {expected}", line.start);
        ensure!(text.get(line.clone()).is_some(), "{line:?} is no part of the text");
        ensure!(matches!(text.as_bytes().get(line.end), None | Some(b'\n')), "{line:?} does not end with a line");
        expected = line.end + 1;
    }
    ensure!(expected == text.len() + 1, "the logical lines end at {expected} of {}", text.len());
    Ok(())
}

/// Of which lines is not asked: where quotes are missing, statements are other ones than the logical lines.
fn statement_is_made_of_lines(text: &str, needles: &[Range<usize>], statement: &Statement) -> Result<()> {
    let range = statement.start..statement.start + statement.text.len();
    ensure!(text.get(range.clone()) == Some(statement.text), "{range:?} is not the statement's text");
    let before = text[..range.start].trim_end_matches([' ', '\t', '\x0c']);
    ensure!(before.is_empty() || before.ends_with('\n'), "the statement at {range:?} does not start a line");
    ensure!(matches!(text.as_bytes().get(range.end), None | Some(b'\n')), "{range:?} does not end with a line");
    ensure!(!statement.mentions.is_empty(), "the statement at {range:?} mentions nothing");
    let mut end = 0;
    for mention in &statement.mentions {
        let needle = range.start + mention.start..range.start + mention.end;
        ensure!(needles.contains(&needle), "{needle:?} is no needle");
        ensure!(mention.start >= end && needle.end <= range.end, "{mention:?} is out of order or place");
        end = mention.end;
    }
    Ok(())
}

/// Lines of hits are computed from offsets in the text, so these must be the same in whatever is parsed.
fn modules_keep_every_offset(statement: &Statement) -> Result<()> {
    for module in statement.readings().flatten() {
        let mut part = module.source[module.shift..].bytes().zip(statement.text.bytes());
        // A name may become another one, and a keyword a shorter one.
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        let stays = part.all(|(now, before)| !now.is_ascii_alphanumeric() || in_word(before));
        ensure!(stays, "{:?} has words where {:?} has none", module.source, statement.text);
        ensure!(module.source.ends_with('\n'), "the module {:?} has no end", module.source);
    }
    Ok(())
}
