//! Names files as GitHub and code scanning do: by their paths from the top of the work tree, which the root may be below.

use camino::{Utf8Path, Utf8PathBuf};

use super::discover;
use super::policy::Policy;
use super::run::Run;

pub struct Checkout<'r> {
    root: &'r Utf8Path,
    /// Of the work tree, absolute.
    pub top: Utf8PathBuf,
}

impl<'r> Checkout<'r> {
    pub fn of(run: &'r Run) -> Checkout<'r> {
        Checkout { root: &run.root, top: discover::top(&run.root) }
    }

    /// Of a file as the run calls it; absolute outside the work tree.
    pub fn path(&self, path: &str) -> Utf8PathBuf {
        let path = self.root.join(path);
        path.strip_prefix(&self.top).map(Utf8Path::to_owned).unwrap_or(path)
    }

    /// Of the file that the policy was read from.
    pub fn policy(&self, policy: &Policy) -> Option<Utf8PathBuf> {
        Some(self.path(discover::located(&policy.origin.file.as_ref()?.path).as_str()))
    }
}
