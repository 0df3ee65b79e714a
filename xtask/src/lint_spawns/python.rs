//! Python, as text and as syntax. Nothing here knows what a shape is.
//!
//! [`statement`] cuts logical lines out of a text and parses each alone: `lexer` tells it where strings, brackets and
//! lines end, in broken text too; `rewrite`, with `literal` and `parameters`, puts what the parser does not know into
//! words that it knows, at the same places. [`tree`] lists the nodes of a syntax tree. [`outline`] has the blocks and
//! scopes of a whole text, [`names`] what a name means in them, [`fold`] what an expression comes to. [`comment`] has a
//! text's comments, [`physical`] the lines where more can stand.

pub mod comment;
pub mod fold;
pub(super) mod lexer;
pub(super) mod literal;
pub mod names;
pub mod outline;
mod parameters;
pub mod physical;
mod rewrite;
pub mod statement;
pub mod tree;
