//! Markers: the comments by which a team accepts a hit, with its reason.

use regex::Regex;

/// Recognises one marker text.
#[derive(Debug)]
pub struct Marker(Regex);

impl Marker {
    /// `text` is the policy's, `detached-spawn: ok` say; it is taken literally.
    pub fn new(text: &str) -> anyhow::Result<Marker> {
        // Python's white space, which the four separators belong to; then a dash; then anything but space and dashes.
        let space = r"[\s\x1c-\x1f]";
        let pattern = format!(r"{}{space}*(?:—|-+)[\s\x1c-\x1f—–-]*[^\s\x1c-\x1f—–-]", regex::escape(text));
        Ok(Marker(Regex::new(&pattern)?))
    }

    /// Whether a hit on `line` is accepted there or on the line above it.
    pub fn covers(&self, line: &str, above: Option<&str>) -> bool {
        self.0.is_match(line) || above.is_some_and(|above| self.0.is_match(above))
    }
}
