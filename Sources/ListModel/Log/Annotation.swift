// A value that is attached to a commit, and the ways to get at it.

/// A value that is attached to a commit under a name.
public struct Annotation: Hashable, Sendable {
    /// What it is asked for by.
    public let name: String
    /// The value.
    public let value: [UInt8]

    /// An annotation of this name and value.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// The name of what was selected before an edit, and of what was after it.
    public static let selectionBefore = "selection.before"
    public static let selectionAfter = "selection.after"
}

extension Commit {
    /// The values that are attached to the commit, in the order in which they were.
    ///
    /// An undo or a redo has none of the commit that it reverts; ``cause`` tells which that is.
    ///
    /// - Throws, Complexity: as ``events()``.
    public func annotations() throws -> [Annotation] {
        try events().compactMap { event in
            guard case .annotated(let name, let value) = event else { return nil }
            return Annotation(name: name, value: value)
        }
    }

    /// The value that is attached under a name; nil if there is none. Of several, the last.
    ///
    /// - Throws, Complexity: as ``events()``.
    public func annotation(named name: String) throws -> [UInt8]? {
        try annotations().last { $0.name == name }?.value
    }
}
