//! Makes the monorepo that is measured when no other is given: the same for the same number of files, everywhere.
//!
//! It has no folder that the built-in policy excludes, so that all contestants read the same files.

use std::fs;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use super::NAME;
use super::progress::Progress;
use crate::lint_spawns::git;
use crate::output::printable_path;

/// To be raised with every change of what is generated.
pub const VERSION: u32 = 1;

/// Of one package: `__init__.py` and its modules.
const MODULES_IN_A_PACKAGE: usize = 20;

/// In bytes.
const LARGEST_MODULE: usize = 300_000;

/// What is put into the middle of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    Nothing,
    /// One hit.
    Spawn,
    /// A needle in a comment or docstring.
    Mention,
    /// `init_process_group`, which a search for text takes for a needle.
    LongerName,
}

/// A generated file.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    /// In the monorepo.
    pub path: Utf8PathBuf,
    pub text: String,
    pub planted: Planted,
}

/// A git repository of so many Python files in `folder`, made unless it is there already.
pub fn make(folder: &Utf8Path, files: usize) -> Result<()> {
    let stamp = folder.join(".git/made-by-bench");
    let stamped = format!("version {VERSION}, {files} files\n");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == stamped) {
        return Ok(());
    }
    let failed = |what: &str, path: &Utf8Path| format!("cannot {what} {}", printable_path(path.as_str()));
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| failed("remove", folder))?;
    }
    let write = |path: &Utf8Path, text: &str| {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
        written.with_context(|| failed("write", &path))
    };
    let mut progress = Progress::begin(NAME, &format!("writing a monorepo of {files} Python files"));
    for index in 0..files {
        let module = module(index);
        write(&module.path, &module.text)?;
        if module.path.file_name() == Some("__init__.py") {
            let package = module.path.parent().unwrap_or(folder);
            write(&package.join("README.md"), &format!("# {package}\n\nSee the modules.\n"))?;
            write(&package.join("settings.json"), "{\"limit\": 20, \"labels\": [\"daily\"]}\n")?;
        }
        progress.advance();
    }
    drop(progress);
    let _progress = Progress::begin(NAME, "handing it to git");
    git(folder, &["init", "--quiet", "--template="])?;
    git(folder, &["add", "--all"])?;
    fs::write(&stamp, stamped).with_context(|| failed("write", &stamp))
}

/// The file number `index` of every monorepo that has so many.
pub fn module(index: usize) -> Module {
    let (package, place) = (index / MODULES_IN_A_PACKAGE, index % MODULES_IN_A_PACKAGE);
    let folder = package_path(package);
    let mut random = Random(index as u64);
    if place == 0 {
        let text = fill("\"\"\"OTHER, and what it takes to VERB them.\"\"\"\n", &mut random);
        return Module { path: folder.join("__init__.py"), text, planted: Planted::Nothing };
    }
    // None of them meet, and none falls on an `__init__.py`.
    let planted = match index {
        _ if index % 500 == 7 => Planted::Spawn,
        _ if index % 200 == 13 => Planted::Mention,
        _ if index % 300 == 19 => Planted::LongerName,
        _ => Planted::Nothing,
    };
    let path = folder.join(fill(&format!("VERB_NOUN_{place}.py"), &mut random));
    let size = random.size();
    Module { path, text: text(&mut random, size, planted), planted }
}

/// A module of about `size` bytes.
pub fn module_of(size: usize, planted: Planted) -> String {
    text(&mut Random(size as u64), size, planted)
}

fn package_path(package: usize) -> Utf8PathBuf {
    let mut random = Random(!(package as u64));
    let mut path = Utf8PathBuf::from(random.pick(&["apps", "libs", "platform", "services", "tools"]));
    for _ in 0..1 + random.below(3) {
        path.push(random.pick(&NOUNS));
    }
    path.join(format!("{}_{package}", random.pick(&OTHERS)))
}

fn text(random: &mut Random, size: usize, planted: Planted) -> String {
    let mut plant = match planted {
        Planted::Nothing => None,
        Planted::Spawn => Some(random.pick(&BLOCKS.spawn)),
        Planted::Mention => Some(random.pick(&BLOCKS.mention)),
        Planted::LongerName => Some(random.pick(&BLOCKS.torch)),
    };
    let mut text = fill(random.pick(&BLOCKS.head), random);
    loop {
        let block = match plant {
            Some(_) if text.len() >= size / 2 => plant.take().unwrap_or_default(),
            _ if text.len() < size => random.pick(&BLOCKS.plain),
            _ => return text,
        };
        text += "\n\n";
        text += &fill(block, random);
    }
}

/// `blocks.txt` by kind; each block ends with a line break.
struct Blocks {
    head: Vec<&'static str>,
    plain: Vec<&'static str>,
    spawn: Vec<&'static str>,
    mention: Vec<&'static str>,
    torch: Vec<&'static str>,
}

static BLOCKS: LazyLock<Blocks> = LazyLock::new(|| {
    let of_kind = |kind: &str| {
        let sections = include_str!("blocks.txt").split("=== ");
        sections.filter_map(|section| section.strip_prefix(kind)?.strip_prefix('\n')).collect()
    };
    Blocks {
        head: of_kind("head"),
        plain: of_kind("plain"),
        spawn: of_kind("spawn"),
        mention: of_kind("mention"),
        torch: of_kind("torch"),
    }
});

static BLANKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(["VERB", "NOUN", "Noun", "LOUD", "OTHER", "NUMBER"]).expect("six words are not too many")
});

const VERBS: [&str; 24] = [
    "archive", "assign", "audit", "bundle", "cancel", "collect", "compare", "copy", "encode", "export", "fetch",
    "group", "inspect", "index", "load", "lock", "prune", "publish", "refresh", "render", "resolve", "send", "split",
    "validate",
];
const NOUNS: [&str; 30] = [
    "account", "address", "asset", "batch", "bucket", "catalog", "channel", "cluster", "contract", "device",
    "document", "event", "feature", "gateway", "image", "invoice", "job", "ledger", "license", "message", "model",
    "order", "payment", "process", "profile", "report", "schedule", "session", "shipment", "token",
];
const OTHERS: [&str; 20] = [
    "alerts",
    "backups",
    "budgets",
    "credits",
    "customers",
    "entries",
    "forms",
    "groups",
    "hooks",
    "items",
    "journals",
    "keys",
    "limits",
    "metrics",
    "notes",
    "offers",
    "prices",
    "quotas",
    "roles",
    "sessions",
];

/// A block with words in its blanks, each the same all over the block.
fn fill(block: &str, random: &mut Random) -> String {
    let (verb, noun, other) = (random.pick(&VERBS), random.pick(&NOUNS), random.pick(&OTHERS));
    let class = noun[..1].to_uppercase() + &noun[1..];
    let number = (2 + random.below(500)).to_string();
    BLANKS.replace_all(block, &[verb, noun, &class, &noun.to_uppercase(), other, &number])
}

/// SplitMix64, see <https://prng.di.unimi.it/splitmix64.c>.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Of a module in bytes: log-normal, with a median of 4 kB and a mean of 10 kB.
    fn size(&mut self) -> usize {
        let uniform: f64 = (0..12).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
        let normal = uniform - 6.0;
        let size = 4_000.0 * (1.35 * normal).exp();
        (size as usize).min(LARGEST_MODULE)
    }
}

fn git(folder: &Utf8Path, arguments: &[&str]) -> Result<()> {
    let mut command = std::process::Command::new("git");
    git::forget_caller(&mut command);
    // Somebody's settings could ignore files, or want filters to be run.
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
    command.arg("-C").arg(folder).args(arguments);
    let output = command.output().context("cannot run git; install it, or put it on PATH")?;
    let shown = printable_path(folder.as_str());
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {} failed in {shown}: {}", arguments.join(" "), complaint.trim());
    Ok(())
}
