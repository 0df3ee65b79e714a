//! Markers: the comments by which a team accepts a hit, with its reason.

use regex::Regex;

/// Recognises one marker text.
#[derive(Debug)]
pub struct Marker(Regex);

impl Marker {
    /// `text` is the policy's, `detached-spawn: ok` say; it is taken literally.
    pub fn new(text: &str) -> anyhow::Result<Marker> {
        // Python's white space, which the four separators belong to; then a dash; then the reason, which begins with
        // anything but space and dashes, and does not end in space.
        let pattern = format!(
            r"{}[\s\x1c-\x1f]*(?:—|-+)[\s\x1c-\x1f—–-]*(?<reason>[^\s\x1c-\x1f—–-](?:.*[^\s\x1c-\x1f])?)",
            regex::escape(text)
        );
        Ok(Marker(Regex::new(&pattern)?))
    }

    /// Why a hit on `line` is accepted, if it is: there, or else on the line above it.
    pub fn reason<'t>(&self, line: &'t str, above: Option<&'t str>) -> Option<&'t str> {
        let reason = |line| Some(self.0.captures(line)?.name("reason")?.as_str());
        reason(line).or_else(|| reason(above?))
    }
}
