//! Changes a file so that at every moment, whatever fails, all of the old text or all of the new one is there.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use camino::Utf8Path;
use tempfile::{Builder, NamedTempFile};

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
    let draft = draft(&mut Builder::new(), folder, new)?;
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
    sync(folder);
    Ok(())
}

/// Makes a file with that text at `path`, where none is. Fails, and changes nothing, if one is there by now, or if the
/// folder takes no file of that size. Errors do not name the path.
pub fn create(path: &Utf8Path, text: &[u8]) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != "" => folder.as_std_path(),
        _ => Path::new("."),
    };
    let mut drafts = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Less what the user's umask takes, as any program does.
        drafts.permissions(fs::Permissions::from_mode(0o666));
    }
    let draft = draft(&mut drafts, folder, text)?;
    draft.as_file().sync_all().context("cannot write a file beside it")?;
    draft.persist_noclobber(path).map_err(|err| match err.error.kind() {
        ErrorKind::AlreadyExists => anyhow!("another program made it meanwhile; run again"),
        _ => Error::from(err.error).context("cannot put a file in its place"),
    })?;
    sync(folder);
    Ok(())
}

/// A file in `folder` that holds the text. It goes with its drop, unless it is renamed.
fn draft(drafts: &mut Builder, folder: &Path, text: &[u8]) -> Result<NamedTempFile> {
    let mut draft = drafts
        .prefix(".lint-spawns-")
        .suffix(".tmp")
        .tempfile_in(folder)
        // Its own words name the draft.
        .map_err(|err| io::Error::from(err.kind()))
        .context("cannot make a file beside it, make its folder writable")?;
    draft.as_file_mut().write_all(text).context("cannot write a file beside it, make room")?;
    Ok(draft)
}

/// Lets a new name in the folder survive a crash of the system; some systems know no such thing.
fn sync(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
