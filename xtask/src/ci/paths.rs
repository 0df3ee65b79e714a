//! The paths that make a step necessary.

use camino::{Utf8Component, Utf8Path};

use crate::globs::{Fault, Globs, GlobsBuilder};

/// Reads patterns. Fails with what is wrong with one.
pub fn globs(patterns: &[impl AsRef<str>]) -> Result<Globs, String> {
    let mut globs = GlobsBuilder::default();
    for pattern in patterns.iter().map(AsRef::as_ref) {
        if Utf8Path::new(pattern).components().any(|part| part == Utf8Component::ParentDir) {
            return Err(format!("{:?} leads out of the workspace", pattern.trim_end_matches('/')));
        }
        globs.add(pattern).map_err(|fault| match fault {
            Fault::Empty => "an empty pattern matches nothing; `*` matches all".to_owned(),
            Fault::Syntax(text, why) => format!("bad glob {text:?}: {why}"),
        })?;
    }
    globs.build().map_err(|err| err.to_string())
}
