//! Changes a file so that at every moment, whatever fails, all of the old text or all of the new one is there.

use std::fs::{self, File};
use std::io::{self, Write as _};

use anyhow::{Context as _, Result, bail};
use camino::Utf8Path;

/// Puts `new` in the place of `old`, what was read from the file at `path`. Of a symbolic link its target is changed.
///
/// The file keeps its permissions and, where this user may give it away, its owner; to other hard links it stays what it
/// was. Fails, and changes nothing, if the file is read-only, if it does not hold `old` any more, or if its folder takes
/// no file of that size. Errors do not name the path.
pub fn replace(path: &Utf8Path, old: &[u8], new: &[u8]) -> Result<()> {
    // Not to camino's: the target may be named as nothing else is here.
    let path = fs::canonicalize(path)?;
    let metadata = fs::metadata(&path)?;
    if metadata.permissions().readonly() {
        bail!("it is read-only; make it writable");
    }
    // A rename asks for no right to change the file itself.
    drop(File::options().write(true).open(&path)?);
    let folder = path.parent().context("it is no file")?;
    // Goes with its drop, unless it was renamed.
    let mut draft = tempfile::Builder::new()
        .prefix(".lint-spawns-")
        .suffix(".tmp")
        .tempfile_in(folder)
        // Its own words name the draft.
        .map_err(|err| io::Error::from(err.kind()))
        .context("cannot make a file beside it, make its folder writable")?;
    draft.as_file_mut().write_all(new).context("cannot write a file beside it, make room")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Before the permissions, which may lose bits by it. Only root may do so.
        let _ = fchown(draft.as_file(), Some(metadata.uid()), Some(metadata.gid()));
    }
    draft
        .as_file()
        .set_permissions(metadata.permissions())
        .context("cannot set the permissions of a file beside it")?;
    draft.as_file().sync_all().context("cannot write a file beside it")?;
    if fs::read(&path)? != old {
        bail!("it was changed by another program meanwhile; run again");
    }
    draft.persist(&path).map_err(|err| err.error).context("cannot put a file in its place")?;
    // Lets the new name survive a crash of the system; some systems know no such thing.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
