// The formats that can be imported. Always holds: the raw values are those of `--format`.

/// The format of an input.
public enum ImportFormat: String, CaseIterable, Sendable {
    /// A recording of a text being edited: one commit for each transaction, one row for each Unicode scalar.
    case editingTrace = "editing-trace"
    /// A Markdown task list: headings become sections.
    case markdown
    /// Plain text: a row for each line.
    case lines
    /// A JSON value on each line.
    case jsonl
    /// What `export` prints: all commits of a store.
    case log
}
