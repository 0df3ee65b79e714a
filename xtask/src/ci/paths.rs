//! The paths that make a step necessary.

use camino::Utf8Path;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns, read as those of the policy's `exclude` are: one without an inner `/` matches any component of a path, one
/// with a `/` the path from the root, and what matches a folder matches all below it.
#[derive(Debug)]
pub struct Paths {
    components: GlobSet,
    whole: GlobSet,
}

impl Paths {
    /// Fails with what is wrong with a pattern.
    pub fn new(patterns: &[impl AsRef<str>]) -> Result<Paths, String> {
        let (mut components, mut whole) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let text = pattern.as_ref().trim_end_matches('/');
            let anchored = text.strip_prefix("./").or_else(|| text.strip_prefix('/'));
            if text.is_empty() || anchored == Some("") {
                return Err("an empty pattern matches nothing; `*` matches all".to_owned());
            }
            if Utf8Path::new(text).components().any(|part| part == camino::Utf8Component::ParentDir) {
                return Err(format!("{text:?} leads out of the workspace"));
            }
            let glob = GlobBuilder::new(anchored.unwrap_or(text)).literal_separator(true).build();
            let glob = glob.map_err(|err| format!("bad glob {text:?}: {}", err.kind()))?;
            if anchored.is_some() || text.contains('/') { &mut whole } else { &mut components }.add(glob);
        }
        let build = |globs: GlobSetBuilder| globs.build().map_err(|err| err.to_string());
        Ok(Paths { components: build(components)?, whole: build(whole)? })
    }

    /// Whether a root-relative path, or a folder above it, matches.
    pub fn matches(&self, path: &Utf8Path) -> bool {
        let matches = |path: &Utf8Path| {
            path.file_name().is_some_and(|name| self.components.is_match(name) || self.whole.is_match(path))
        };
        path.ancestors().any(matches)
    }
}
