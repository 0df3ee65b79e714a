//! Puts a new text in the place of a file's, all at once: whoever reads it sees the old one or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};

use anyhow::{Result, anyhow};
use camino::{Utf8Path, Utf8PathBuf};

use crate::output::printable_path;

/// Replaces what the file holds, that a link leads to if `path` is one. It keeps its permissions; where anything fails, it
/// keeps its text as well.
pub fn replace(path: &Utf8Path, text: &[u8]) -> Result<()> {
    let shown = printable_path(path.as_str());
    let cannot = |err: io::Error, advice: &str| anyhow!("cannot write {shown}: {err}; {advice}. Nothing was changed");
    let target = path.canonicalize_utf8().map_err(|err| cannot(err, "see what it leads to"))?;
    let metadata = fs::metadata(&target).map_err(|err| cannot(err, "make it readable"))?;
    if metadata.permissions().readonly() {
        // A file of that kind can be replaced, and root can write it; whoever made it so does not want that.
        return Err(cannot(io::Error::other("it is read-only"), "make it writable"));
    }
    OpenOptions::new().write(true).open(&target).map_err(|err| cannot(err, "make it writable"))?;
    let name = target.file_name().unwrap_or_default();
    let path = target.with_file_name(format!(".{name}.lint-spawns-{}", std::process::id()));
    let mut file = create(&path).map_err(|err| cannot(err, "make its folder writable"))?;
    let draft = Draft(path);
    let written = file.write_all(text).and_then(|()| like(&file, &metadata)).and_then(|()| file.sync_all());
    written.map_err(|err| cannot(err, "make room for a copy of it"))?;
    drop(file);
    fs::rename(&draft.0, &target).map_err(|err| cannot(err, "see whether its folder is writable"))?;
    // The rename lasts once the folder is on the disk; not every file system can be asked for that.
    let _ = target.parent().and_then(|folder| File::open(folder).ok()).map(|folder| folder.sync_all());
    Ok(())
}

/// A file that is removed unless it was put in the place of another.
struct Draft(Utf8PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn create(path: &Utf8Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Gives a file the owner and the permissions of another, as far as this user may.
fn like(file: &File, other: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
            let _ = fchown(file, Some(other.uid()), Some(other.gid()));
        }
    }
    file.set_permissions(other.permissions())
}
