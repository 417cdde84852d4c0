// The sections and rows that an importer has read, before they have places and ids in a store.
//
// Always holds: rows and sections are in the order of the input; values that the input does not have are nil.

import ListModel

/// Sections and rows of an input.
public struct ImportedList: Equatable, Sendable {
    /// A row.
    public struct Row: Equatable, Sendable {
        /// Its id, if the input gives one.
        public var id: UntypedID?
        public var isChecked = false
        public var content: [UInt8]
        /// Its depth in an outline, and whether it is collapsed.
        public var depth = 0
        public var isCollapsed = false
        /// Its line in the input.
        public var line: Int
    }

    /// How a section gets its id.
    public enum SectionName: Hashable, Sendable {
        /// A new section, whose id is made from this name and is unused.
        case new(String)
        /// The section of this id, which may exist already.
        case named(UntypedID)
    }

    /// A section and its rows.
    public struct Section: Equatable, Sendable {
        public var name: SectionName
        public var title: String
        public var rows: [Row] = []
    }

    public var sections: [Section] = []
    /// The lines that were left out.
    public var ignoredLines: [Int] = []

    /// The content of a row with only a title.
    static func content(title: String) -> [UInt8] {
        JSONValue.object(["title": .string(title)]).bytes
    }
}
