// Plain text as a list: a row for each line. Always holds: there are as many rows as lines, empty ones included.

extension ImportedList {
    /// The rows of plain text.
    ///
    /// - Throws: ``ImportError`` for bytes that are not UTF-8.
    public init(lines bytes: [UInt8]) throws {
        let rows = try InputLines(bytes).map { Row(content: ImportedList.content(title: $0.text), line: $0.number) }
        if !rows.isEmpty { sections = [Section(name: .new("lines"), title: "", rows: rows)] }
    }
}
