// A table for documents. Always holds: every row has a cell for every column.

/// A Markdown table.
public struct MarkdownTable: Sendable {
    private let head: [String]
    private var rows: [[String]] = []

    /// An empty table.
    public init(_ head: [String]) { self.head = head }

    /// Adds a row; cells that are missing at its end are empty.
    public mutating func add(_ cells: [String]) {
        precondition(cells.count <= head.count, "a row has more cells than the table has columns")
        rows.append(cells + Array(repeating: "", count: head.count - cells.count))
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// The table, with an empty line after it.
    public var lines: [String] {
        let all = [head, head.map { _ in "---" }] + rows
        return all.map { "| " + $0.joined(separator: " | ") + " |" } + [""]
    }
}
