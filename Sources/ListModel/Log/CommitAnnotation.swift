// Annotations: values attached to a commit under a name.

/// A value that is attached to a commit under a name.
public struct CommitAnnotation: Hashable, Sendable {
    /// The name by which it is found.
    public let name: String
    /// The value.
    public let value: [UInt8]

    /// An annotation of this name and value.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// The name of the selection before an edit.
    public static let selectionBefore = "selection.before"
    /// The name of the selection after an edit.
    public static let selectionAfter = "selection.after"
    /// The name under which a commit says why nothing is left of an edit: another process committed first. Only the library attaches
    /// a value of this name.
    public static let lostRace = "lost-race"
    /// The name of the id of a commit of a replica, by which it is recognised when it was made again elsewhere. Only the library
    /// attaches a value of this name.
    public static let identifier = "id"

    /// Whether only the library attaches values of a name.
    public static func isReserved(_ name: String) -> Bool { name == lostRace || name == identifier }
}

extension Commit {
    /// Its id; nil if it has none, because its store was no replica.
    ///
    /// - Throws, Complexity: as ``events()``.
    package var identifier: [UInt8]? {
        get throws { try annotation(named: CommitAnnotation.identifier) }
    }

    /// The id by which all replicas recognise it. For a commit from before its store was a replica, that is its checksum: every copy of
    /// the store has the same.
    ///
    /// - Throws, Complexity: as ``events()``.
    package var sharedIdentifier: [UInt8] {
        get throws { try identifier ?? withUnsafeBytes(of: checksum.littleEndian) { Array($0) } }
    }

    /// Why nothing is left of the edit that it was; nil if it is one.
    package var givenUpReason: String? {
        get throws { try annotation(named: CommitAnnotation.lostRace).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The annotations of the commit, in their order.
    ///
    /// An undo or a redo has none of the annotations of the commit that it reverts; ``cause`` names that commit.
    ///
    /// - Throws, Complexity: as ``events()``.
    public func annotations() throws -> [CommitAnnotation] {
        try events().compactMap { event in
            guard case .annotated(let name, let value) = event else { return nil }
            return CommitAnnotation(name: name, value: value)
        }
    }

    /// The value of a name; nil if there is none. Of several, the last.
    ///
    /// - Throws, Complexity: as ``events()``.
    public func annotation(named name: String) throws -> [UInt8]? {
        try annotations().last { $0.name == name }?.value
    }
}
