//! README.md and the pages in xtask/docs/, and what is in them.

use std::fs;
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

pub(crate) struct Page {
    /// Relative to the workspace.
    pub(crate) path: Utf8PathBuf,
    pub(crate) text: String,
    /// In order.
    pub(crate) blocks: Vec<Block>,
    /// What stands between backticks, but for blocks.
    pub(crate) codes: Vec<String>,
    pub(crate) links: Vec<String>,
    /// What may follow the `#` of a link to the page.
    pub(crate) anchors: Vec<String>,
}

/// A fenced block of code.
pub(crate) struct Block {
    pub(crate) language: String,
    /// Without the indentation of the list that it may be in.
    pub(crate) code: String,
    /// Where the code is in the page, up to the line of the closing fence.
    pub(crate) range: Range<usize>,
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
        let (mut blocks, mut codes, mut links, mut anchors): (Vec<Block>, _, _, _) = (vec![], vec![], vec![], vec![]);
        let mut heading = None;
        let mut is_code = false;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    is_code = true;
                    let range = code_of(&text, range);
                    blocks.push(Block { language: language.into_string(), code: String::new(), range });
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                    panic!("{path}: a block of code that is indented says not what it is; put it between fences");
                }
                Event::End(TagEnd::CodeBlock) => is_code = false,
                Event::Text(code) if is_code => blocks.last_mut().unwrap().code.push_str(&code),
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
        Page { path, text, blocks, codes, links, anchors }
    }

    pub(crate) fn blocks_in(&self, language: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.language == language)
    }
}

/// The lines between the fences.
fn code_of(text: &str, block: Range<usize>) -> Range<usize> {
    let fenced = &text[block.clone()];
    let start = fenced.find('\n').unwrap() + 1;
    let end = fenced.trim_end().rfind('\n').unwrap() + 1;
    block.start + start..block.start + end
}

/// As GitHub makes it of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || "-_ ".contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}
