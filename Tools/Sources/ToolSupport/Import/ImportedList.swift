// What an importer read, before it has places and ids in a store.
//
// Always holds: rows and sections are in the order of the input; whatever the input did not say is nil.

import ListModel

/// Sections and rows of an input.
public struct ImportedList: Equatable, Sendable {
    /// A row.
    public struct Row: Equatable, Sendable {
        /// Its id, if the input gives one.
        public var id: Identifier?
        public var isChecked = false
        public var content: [UInt8]
        /// How deep it stands in an outline, and whether its children are hidden.
        public var depth = 0
        public var isCollapsed = false
        /// Where in the input it stands.
        public var line: Int
    }

    /// How a section gets its id.
    public enum SectionName: Hashable, Sendable {
        /// A new section, whose id is made from this and must be one that is not taken.
        case new(String)
        /// The section of this id, which may be there already.
        case named(Identifier)
    }

    /// A section and its rows.
    public struct Section: Equatable, Sendable {
        public var name: SectionName
        public var title: String
        public var rows: [Row] = []
    }

    public var sections: [Section] = []
    /// The lines that hold nothing a list could hold.
    public var ignoredLines: [Int] = []

    /// The content of a row that has a title and nothing else.
    static func content(title: String) -> [UInt8] {
        JSONValue.object(["title": .string(title)]).bytes
    }
}
