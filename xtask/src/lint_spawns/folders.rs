//! What holds for all that is in a folder of the root: asked once a folder, not once a file.

use std::collections::HashMap;
use std::fs;

use camino::Utf8Path;

use crate::globs::Globs;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Folder {
    /// The policy excludes it, or a folder above it.
    pub(super) excluded: bool,
    /// It, or a folder above it, has become a link since git was told of what is in it.
    pub(super) linked: bool,
}

pub(super) struct Folders<'a> {
    root: &'a Utf8Path,
    exclude: &'a Globs,
    known: HashMap<String, Folder>,
    /// The one asked for before, for git lists the files of a folder together.
    last: (String, Folder),
}

impl<'a> Folders<'a> {
    pub(super) fn new(root: &'a Utf8Path, exclude: &'a Globs) -> Folders<'a> {
        Folders { root, exclude, known: HashMap::new(), last: (String::new(), Folder::default()) }
    }

    /// The folder that a path is in. Of the root itself, and of what is outside it, nothing holds.
    pub(super) fn around(&mut self, path: &Utf8Path) -> Folder {
        let Some((folder, _)) = path.as_str().rsplit_once('/').filter(|_| !path.is_absolute()) else {
            return Folder::default();
        };
        if self.last.0 != folder {
            self.last = (folder.to_owned(), self.get(folder));
        }
        self.last.1
    }

    fn get(&mut self, folder: &str) -> Folder {
        if let Some(&known) = self.known.get(folder) {
            return known;
        }
        let above = folder.rsplit_once('/').map_or(Folder::default(), |(above, _)| self.get(above));
        let is_link = |folder| fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
        let found = Folder {
            excluded: above.excluded || self.exclude.matches_itself(Utf8Path::new(folder)),
            linked: above.linked || is_link(self.root.join(folder)),
        };
        self.known.insert(folder.to_owned(), found);
        found
    }
}
