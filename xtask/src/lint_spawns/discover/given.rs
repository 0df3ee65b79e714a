//! Reads what the command line gives: PATHS, a list of more, standard input.

use std::fs;
use std::io::{self, Read as _};

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::flags;
use crate::output::{printable_bytes, printable_path};

/// What a run is about instead of what the policy includes.
#[derive(Debug)]
pub struct Given {
    /// Files and folders, relative to the current folder. There may be none.
    pub paths: Vec<Utf8PathBuf>,
    pub input: Option<Input>,
}

/// Standard input, to be checked like a file.
#[derive(Debug)]
pub struct Input {
    /// The file that it stands for, relative to the current folder. It need not exist.
    pub name: Option<Utf8PathBuf>,
    pub content: Vec<u8>,
}

/// Among the PATHS, and for a list of them: standard input. A file of that name is `./-`.
const STANDARD_INPUT: &str = "-";

/// None if the command line gives nothing. Reads the list, and standard input.
pub fn given(flags: &flags::Paths) -> Result<Option<Given>> {
    let flags::Paths { paths, stdin_filename, files_from } = flags;
    if paths.is_empty() && stdin_filename.is_none() && files_from.is_none() {
        return Ok(None);
    }
    let (inputs, mut paths): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|path| path == STANDARD_INPUT);
    let is_input = !inputs.is_empty() || (paths.is_empty() && files_from.is_none());
    if stdin_filename.is_some() && !is_input {
        bail!("--stdin-filename says what `-` is called, and `-` is not among the PATHS; add it");
    }
    if let Some(file) = files_from.as_deref() {
        if is_input && file == STANDARD_INPUT {
            bail!("standard input cannot be a file to check and a list of files at once; write the list to a file");
        }
        paths.extend(list(file)?);
    }
    let input = match is_input {
        true => Some(Input { name: stdin_filename.clone(), content: read_input()? }),
        false => None,
    };
    Ok(Some(Given { paths, input }))
}

/// The paths in a file: those that end in NUL if there is any, else one on a line, however Windows writes that.
fn list(file: &Utf8Path) -> Result<Vec<Utf8PathBuf>> {
    let (bytes, shown) = match file.as_str() {
        STANDARD_INPUT => (read_input()?, "standard input".to_owned()),
        path => {
            let shown = printable_path(path);
            (fs::read(file).with_context(|| format!("cannot read the list of files {shown}; name another"))?, shown)
        }
    };
    let paths: Vec<&[u8]> = if bytes.contains(&0) {
        bytes.split(|byte| *byte == 0).collect()
    } else {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let lines = text.split(|byte| *byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
    };
    let paths = paths.into_iter().filter(|path| !path.is_empty());
    let path = |path: &[u8]| match std::str::from_utf8(path) {
        // In a list it is a file like any other.
        Ok(STANDARD_INPUT) => Ok(Utf8Path::new(".").join(STANDARD_INPUT)),
        Ok(path) => Ok(Utf8PathBuf::from(path)),
        Err(_) => {
            Err(anyhow!("the path {} in {shown} is not UTF-8; rename it, or leave it out", printable_bytes(path)))
        }
    };
    paths.map(path).collect()
}

fn read_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}
