//! README.md and the pages in xtask/docs/, and what is in them.

use std::fs;
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

pub(crate) struct Page {
    /// Relative to the workspace.
    pub(crate) path: Utf8PathBuf,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// What people are told to type, in order.
    pub(crate) commands: Vec<Shown>,
    /// What stands between backticks, but for blocks.
    pub(crate) codes: Vec<String>,
    pub(crate) links: Vec<String>,
    /// What may follow the `#` of a link to the page.
    pub(crate) anchors: Vec<String>,
}

/// A fenced block of code.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) code: String,
}

pub(crate) struct Shown {
    pub(crate) command: String,
    /// Where the page shows what it prints. None where nothing but the command is shown.
    pub(crate) output: Option<Range<usize>>,
}

pub(crate) fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize_utf8().unwrap()
}

/// All there are.
pub(crate) fn pages() -> Vec<Page> {
    let folder = workspace().join("xtask/docs").read_dir_utf8().unwrap();
    let mut paths: Vec<Utf8PathBuf> =
        folder.map(|entry| Utf8Path::new("xtask/docs").join(entry.unwrap().file_name())).collect();
    paths.sort();
    paths.insert(0, Utf8PathBuf::from("README.md"));
    paths.into_iter().map(Page::read).collect()
}

impl Page {
    fn read(path: Utf8PathBuf) -> Page {
        let text = fs::read_to_string(workspace().join(&path)).unwrap();
        let (mut blocks, mut commands): (Vec<Block>, _) = (vec![], vec![]);
        let (mut codes, mut links, mut anchors, mut heading) = (vec![], vec![], vec![], None);
        let mut is_block = false;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    is_block = true;
                    // What is indented says not what it is.
                    let language =
                        if let CodeBlockKind::Fenced(language) = kind { language.into_string() } else { String::new() };
                    if language == "console" {
                        commands.extend(console(&text, range));
                    }
                    blocks.push(Block { language, code: String::new() });
                }
                Event::End(TagEnd::CodeBlock) => {
                    is_block = false;
                    commands.extend(blocks.last().filter(|block| block.language == "sh").into_iter().flat_map(script));
                }
                Event::Text(code) if is_block => blocks.last_mut().unwrap().code.push_str(&code),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take().map(|text| anchor(&text))),
                Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.into_string()),
                Event::Text(text) => heading.iter_mut().for_each(|heading| heading.push_str(&text)),
                Event::Code(code) => {
                    heading.iter_mut().for_each(|heading| heading.push_str(&code));
                    codes.push(code.into_string());
                }
                _ => {}
            }
        }
        Page { path, text, blocks, commands, codes, links, anchors }
    }

    pub(crate) fn blocks_in(&self, language: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.language == language)
    }
}

/// The commands of a block as a terminal shows it: a line behind `$ ` is one, with those that follow behind `> `.
fn console(text: &str, block: Range<usize>) -> Vec<Shown> {
    let begins_well = text[block.clone()].lines().nth(1).is_some_and(|line| line.starts_with("$ "));
    assert!(begins_well, "a block of console does not begin with `$ `, at the start of the line:\n{}", &text[block]);
    let mut all: Vec<Shown> = Vec::new();
    let mut start = block.start;
    for line in text[block].split_inclusive('\n') {
        let end = start + line.len();
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { command: command.trim_end().to_owned(), output: Some(end..end) });
        } else if let Some(Shown { command, output: Some(output) }) = all.last_mut() {
            match line.strip_prefix("> ") {
                Some(more) if output.start == output.end => {
                    *command = format!("{command}\n{}", more.trim_end());
                    *output = end..end;
                }
                _ if line.starts_with("```") => {}
                _ => output.end = end,
            }
        }
        start = end;
    }
    all
}

/// The commands of a block that holds nothing else.
fn script(block: &Block) -> Vec<Shown> {
    let lines = block.code.lines().map(|line| line.split(" #").next().unwrap().trim()).filter(|line| !line.is_empty());
    lines.map(|line| Shown { command: line.to_owned(), output: None }).collect()
}

/// As GitHub makes it of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || "-_ ".contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}
