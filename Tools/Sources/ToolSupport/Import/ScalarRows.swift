// The rows of a text: one for each Unicode scalar.
//
// Always holds: the content of a row is the JSON string of its scalar; ids count up.

import ListModel

/// Rows of one scalar each.
struct ScalarRows {
    private var ids: FreshIdentifiers
    /// The contents that were made already.
    private var contents: [Unicode.Scalar: [UInt8]] = [:]

    init(_ ids: FreshIdentifiers) {
        self.ids = ids
    }

    /// A row for a scalar.
    mutating func next(_ scalar: Unicode.Scalar) throws -> NewRow {
        NewRow(id: try ids.next(), content: content(scalar))
    }

    /// A row for each scalar of a text.
    mutating func next(_ text: String) throws -> [NewRow] {
        var rows: [NewRow] = []
        for scalar in text.unicodeScalars { rows.append(try next(scalar)) }
        return rows
    }

    private mutating func content(_ scalar: Unicode.Scalar) -> [UInt8] {
        if let content = contents[scalar] { return content }
        let content = JSONValue.string(String(scalar)).bytes
        contents[scalar] = content
        return content
    }
}
