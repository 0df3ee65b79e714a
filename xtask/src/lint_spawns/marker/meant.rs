//! Tells what was meant for a marker and does not count: it is misspelled, or what follows it is no reason.

use aho_corasick::AhoCorasick;

/// Characters that look like the dash that a reason is put behind.
const LOOK_ALIKES: [char; 7] = ['‐', '‑', '‒', '―', '−', '﹘', '－'];

/// Recognises what is spelled like a marker.
#[derive(Debug)]
pub(super) struct Meant {
    /// The marker's text.
    text: Vec<char>,
    /// As many characters may be missing, wrong or too many.
    slack: usize,
    /// What a text has one of, in whatever case, if it holds something that is spelled like the marker. None if that
    /// cannot be told, for a letter outside ASCII.
    pieces: Option<AhoCorasick>,
}

/// Something that is spelled like the marker, perhaps exactly so.
struct Spelled<'t> {
    text: &'t str,
    /// How many characters differ, case aside.
    distance: usize,
    /// What follows, without the white space before it.
    rest: &'t str,
}

impl Meant {
    pub(super) fn new(text: &str) -> anyhow::Result<Meant> {
        let text: Vec<char> = text.chars().collect();
        let slack = text.len() / 6;
        // With fewer faults than pieces, one of these is whole.
        let border = |piece: usize| piece * text.len() / (slack + 1);
        let pieces = (0..=slack).map(|piece| text[border(piece)..border(piece + 1)].iter().collect::<String>());
        let pieces = match text.iter().all(char::is_ascii) {
            true => Some(AhoCorasick::builder().ascii_case_insensitive(true).build(pieces)?),
            false => None,
        };
        Ok(Meant { text, slack, pieces })
    }

    /// Whether a text may hold something that is spelled like the marker. That it does not is certain.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        self.pieces.as_ref().is_none_or(|pieces| pieces.is_match(text))
    }

    /// What is wrong with the marker that a comment was meant for, if it was.
    pub(super) fn wrong_with(&self, comment: &str) -> Option<String> {
        let spelled = self.spelled(comment)?;
        let wrong: Vec<String> = [self.misspelled(&spelled), wrong_before_reason(spelled.rest).map(str::to_owned)]
            .into_iter()
            .flatten()
            .collect();
        (!wrong.is_empty()).then(|| wrong.join(", and "))
    }

    /// What is spelled most like the marker, of what does not merely speak of it.
    fn spelled<'t>(&self, comment: &'t str) -> Option<Spelled<'t>> {
        let begins_word = self.text.first().is_some_and(|c| c.is_alphanumeric());
        let mut best: Option<Spelled> = None;
        let mut before = ' ';
        // Whether nothing but space comes between here and the last `#`.
        let mut first = true;
        for (at, c) in comment.char_indices() {
            if c.is_alphanumeric() == begins_word && !(begins_word && before.is_alphanumeric()) && !c.is_whitespace() {
                let spelled = self.spelled_at(&comment[at..]);
                let is_meant = |spelled: &Spelled| {
                    ends_marker(spelled.rest)
                        || (spelled.rest.is_empty() && (first || spelled.distance == 0))
                        || (first && spelled.distance <= 1)
                };
                if let Some(spelled) = spelled.filter(is_meant)
                    && best.as_ref().is_none_or(|best| spelled.distance < best.distance)
                {
                    best = Some(spelled);
                }
            }
            first = c == '#' || (first && c.is_whitespace());
            before = c;
        }
        best
    }

    /// What `text` begins with, if that is spelled like the marker.
    fn spelled_at<'t>(&self, text: &'t str) -> Option<Spelled<'t>> {
        let known: String = lower(&self.text);
        let chars: Vec<(usize, char)> = text.char_indices().take(self.text.len() + self.slack + 1).collect();
        let ends_word = self.text.last().is_some_and(|c| c.is_alphanumeric());
        let lengths = self.text.len().saturating_sub(self.slack).max(1)..=self.text.len() + self.slack;
        let spelled = lengths.filter_map(|length| {
            let last = chars.get(length - 1)?.1;
            let next = chars.get(length).map(|&(_, c)| c);
            let cut = ends_word && last.is_alphanumeric() && next.is_some_and(char::is_alphanumeric);
            if cut || (ends_word && !last.is_alphanumeric()) {
                return None;
            }
            let end = chars.get(length).map_or(text.len(), |&(at, _)| at);
            let written: Vec<char> = chars[..length].iter().map(|&(_, c)| c).collect();
            let distance = strsim::levenshtein(&lower(&written), &known);
            (distance <= self.slack).then(|| Spelled { text: &text[..end], distance, rest: text[end..].trim_start() })
        });
        spelled.min_by_key(|spelled| spelled.distance)
    }

    fn misspelled(&self, spelled: &Spelled) -> Option<String> {
        let known: String = self.text.iter().collect();
        let written = spelled.text;
        if written == known {
            return None;
        }
        let without = |missing: char| known.chars().filter(|&c| c != missing).collect::<String>();
        let why = if spelled.distance == 0 {
            ", case matters"
        } else if same(written, &without(':')) {
            ", its colon is missing"
        } else if same(written, &without(' ')) {
            ", its space is missing"
        } else {
            ""
        };
        Some(format!("it is spelled `{written}`{why}"))
    }
}

/// What is wrong with what follows the text of a marker: a dash and a reason should.
fn wrong_before_reason(rest: &str) -> Option<&'static str> {
    let mut chars = rest.chars();
    match chars.next() {
        None => Some("it has no reason"),
        Some('—' | '-') => {
            let reason = rest.strip_prefix('—').unwrap_or_else(|| rest.trim_start_matches('-')).trim();
            match reason.trim_matches(|c: char| is_dash(c) || c.is_whitespace()) {
                _ if reason.is_empty() => Some("it has no reason"),
                "" => Some("its reason is made of dashes"),
                _ => None,
            }
        }
        Some('–') => Some("it has an en dash where an em dash or hyphens belong"),
        Some(':') => Some("it has a colon where an em dash or hyphens belong"),
        Some(c) if LOOK_ALIKES.contains(&c) => Some("it has a sign that only looks like an em dash or a hyphen"),
        Some(_) => Some("there is no dash between it and a reason"),
    }
}

fn ends_marker(rest: &str) -> bool {
    rest.starts_with(|c| is_dash(c) || c == ':' || LOOK_ALIKES.contains(&c))
}

fn is_dash(c: char) -> bool {
    matches!(c, '—' | '–' | '-')
}

fn same(a: &str, b: &str) -> bool {
    lower(&a.chars().collect::<Vec<_>>()) == lower(&b.chars().collect::<Vec<_>>())
}

/// In lower case, character by character, so that none is lost or added.
fn lower(text: &[char]) -> String {
    text.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect()
}
