//! The parts of a SARIF 2.1.0 log that are used here, called what the standard calls them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::rule::Strength;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool,
    pub(super) invocations: [Invocation<'a>; 1],
    pub(super) original_uri_base_ids: BTreeMap<&'static str, ArtifactLocation>,
    pub(super) column_kind: &'static str,
    /// What ends a line.
    pub(super) newline_sequences: [&'static str; 3],
    pub(super) results: Vec<Finding<'a>>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) id: &'static str,
    pub(super) name: String,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: Message,
    pub(super) default_configuration: Configuration,
    pub(super) properties: Tags,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: Level,
}

#[derive(Serialize)]
pub(super) struct Tags {
    pub(super) tags: [&'static str; 2],
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Error,
    Warning,
    Note,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<&'static str>,
}

impl Message {
    /// Of a result or a notification, in which a number in braces would be the place of an argument.
    pub(super) fn without_arguments(text: &str) -> Message {
        Message::from(text.replace('{', "{{").replace('}', "}}").as_str())
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        Message { text: text.to_owned(), markdown: None }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation<'a> {
    pub(super) execution_successful: bool,
    pub(super) exit_code: u8,
    pub(super) tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
pub(super) struct Notification<'a> {
    pub(super) level: Level,
    pub(super) message: Message,
    pub(super) descriptor: Reference<'a>,
}

#[derive(Serialize)]
pub(super) struct Reference<'a> {
    pub(super) id: &'a str,
}

/// What the standard calls a result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding<'a> {
    pub(super) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: Level,
    pub(super) message: Message,
    pub(super) locations: Vec<Location<'a>>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    /// None means that there are none; nothing at all would mean that this is not known.
    pub(super) suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Properties>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'a> {
    pub(super) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_region: Option<ContextRegion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

/// From 1; the end is that of the character after it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    pub(super) start_column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
    pub(super) snippet: Snippet,
}

/// The whole lines of a region that is less than these.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextRegion {
    pub(super) start_line: usize,
    pub(super) end_line: usize,
    pub(super) snippet: Snippet,
}

#[derive(Serialize)]
pub(super) struct Snippet {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation<'a> {
    pub(super) fully_qualified_name: &'a str,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: String,
}

#[derive(Serialize)]
pub(super) struct Properties {
    pub(super) rules: Vec<&'static str>,
    pub(super) strength: Option<Strength>,
}
