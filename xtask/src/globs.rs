//! Patterns of paths, as the policy's `exclude` and the `paths` of a step of `ci` have them.

use camino::Utf8Path;
use globset::{ErrorKind, GlobBuilder, GlobSet, GlobSetBuilder};

/// A pattern without an inner `/` matches any component of a path, one with a `/` the path from the root, and what matches
/// a folder matches all below it. `*` and `?` stop at `/`, `**` does not.
#[derive(Debug)]
pub struct Globs {
    /// Match one component of a path.
    components: GlobSet,
    /// Match a root-relative path, or that of a folder above it.
    whole: GlobSet,
}

/// Makes [`Globs`].
pub struct GlobsBuilder {
    components: GlobSetBuilder,
    whole: GlobSetBuilder,
}

/// What is wrong with a pattern.
pub enum Fault<'p> {
    /// It matches nothing.
    Empty,
    /// Without the slash at its end, and why it is no glob.
    Syntax(&'p str, ErrorKind),
}

impl Default for GlobsBuilder {
    fn default() -> GlobsBuilder {
        GlobsBuilder { components: GlobSetBuilder::new(), whole: GlobSetBuilder::new() }
    }
}

impl GlobsBuilder {
    pub fn add<'p>(&mut self, pattern: &'p str) -> Result<(), Fault<'p>> {
        let text = pattern.trim_end_matches('/');
        let anchored = text.strip_prefix("./").or_else(|| text.strip_prefix('/'));
        if text.is_empty() || anchored == Some("") {
            return Err(Fault::Empty);
        }
        let glob = GlobBuilder::new(anchored.unwrap_or(text)).literal_separator(true).build();
        let glob = glob.map_err(|err| Fault::Syntax(text, err.kind().clone()))?;
        if anchored.is_some() || text.contains('/') { &mut self.whole } else { &mut self.components }.add(glob);
        Ok(())
    }

    /// Fails if the patterns together are too large.
    pub fn build(self) -> Result<Globs, globset::Error> {
        Ok(Globs { components: self.components.build()?, whole: self.whole.build()? })
    }
}

impl Globs {
    /// Whether a root-relative path, or a folder above it, matches.
    pub fn matches(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|path| self.matches_itself(path))
    }

    /// Whether a pattern says so of the path, leaving the folders above it aside.
    pub fn matches_itself(&self, path: &Utf8Path) -> bool {
        path.file_name().is_some_and(|name| self.components.is_match(name) || self.whole.is_match(path))
    }
}
