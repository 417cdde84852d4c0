// Rows and sections of small lists: sections "s0", "s1", … with rows of given numbers, whose content is the number.

import ListModel

extension NewRow {
    /// A row whose content is one byte: its number, unless another is given.
    public init(_ number: Int, isChecked: Bool = false, content: UInt8? = nil) {
        self.init(
            id: .integer(Int64(number)), isChecked: isChecked,
            content: [content ?? UInt8(truncatingIfNeeded: number)])
    }
}

extension NewSection {
    /// The section "s" with a number, of these rows, with a title that is its id.
    public init(_ number: Int, _ rows: [Int] = []) {
        self.init(id: .string("s\(number)"), title: "s\(number)", items: rows.map { NewRow($0) })
    }
}
