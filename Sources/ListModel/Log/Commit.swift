// A commit: the events of one user action, with its name, origin and time, and the record that is written to the log.
//
// Always holds: the checksum of a `Commit` was checked and its header decoded; its events are decoded on demand.

/// The events of one user action: atomic in the log, and reverted together by an undo.
///
/// A commit never changes. It is an object because every edit passes it on several times.
public final class Commit: Sendable {
    /// Why a commit was made.
    public enum Cause: Hashable, Sendable {
        /// An edit of the list.
        case edit
        /// Undo of a step that ended with this commit.
        case undo(of: Version)
        /// Redo of a step that ends with this commit.
        case redo(of: Version)
        /// Checkout of this commit.
        case go(to: Version)
        /// This commit was taken back, wherever it is in the history.
        case revert(of: Version)
        /// The rows became those of this version.
        case restore(of: Version)
    }

    /// The version that the commit made.
    public let version: Version
    /// The cause of the commit.
    public let cause: Cause
    /// The name of the user's action, as a menu shows it: "Add milk". An undo or a redo has the name of the step that
    /// it reverts or repeats.
    public let name: String
    /// Who made it: a user, a device, a sync. May be empty.
    public let origin: String
    /// When it was made.
    public let time: Timestamp
    /// Which history it belongs to.
    public let tracking: Tracking
    /// Its mark in that history.
    package let entry: HistoryEntry
    /// Whether nothing needs to be saved because of it: a changed selection, a collapsed row.
    public let isDiscardable: Bool
    /// The hash of the list after it.
    public let stateHash: StateHash
    /// How many events it has.
    public let eventCount: Int
    /// Its bytes in the log.
    public let record: [UInt8]
    /// The byte offset of the events in the record.
    let eventsOffset: Int

    init(
        version: Version, cause: Cause, name: String, origin: String, time: Timestamp, tracking: Tracking,
        entry: HistoryEntry, isDiscardable: Bool, stateHash: StateHash, eventCount: Int, record: [UInt8],
        eventsOffset: Int
    ) {
        self.version = version
        self.cause = cause
        self.name = name
        self.origin = origin
        self.time = time
        self.tracking = tracking
        self.entry = entry
        self.isDiscardable = isDiscardable
        self.stateHash = stateHash
        self.eventCount = eventCount
        self.record = record
        self.eventsOffset = eventsOffset
    }
}

extension Commit {
    /// The scope of its history; nil if it is in none.
    public var scope: HistoryScope? { mark.scope }

    /// The history of its scope after it; nil if it is in none.
    public var history: ListHistory? { entry.history(after: version) }

    /// Whether it continues the undo step of the commit before it in its scope.
    public var continuesStep: Bool {
        if case .node(let node) = entry { node.continues } else { false }
    }

    /// The revision whose rows were there before it, in the history of its scope: where it hangs in the tree of commits.
    /// ``Version/empty`` at the root; nil if it is no revision, but a checkout or untracked.
    public var parent: Version? {
        if case .node(let node) = entry { node.parent } else { nil }
    }

    /// Its mark in the history of its scope.
    package var mark: HistoryMark { HistoryMark(scope: tracking.scope { origin }, entry: entry) }

    /// The checksum of the record; the next commit links to it.
    public var checksum: UInt64 {
        record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// A commit from its record.
    ///
    /// - Parameters:
    ///   - record: its bytes in the log.
    ///   - version: the version of the commit, which is its key in the log.
    ///   - previousChecksum: the checksum of the commit before (0 for the first), or nil to leave the link unchecked.
    /// - Throws: ``RecordError`` if the bytes are damaged, foreign or newer than this library.
    /// - Complexity: O(bytes).
    public convenience init(record: [UInt8], version: Version, previousChecksum: UInt64? = nil) throws {
        let (header, names) = try record.withUnsafeBytes { bytes in
            let header = try RecordHeader(bytes, version: version, previousChecksum: previousChecksum)
            return (header, try header.names(bytes, version: version))
        }
        self.init(
            version: version, cause: header.cause, name: names.name, origin: names.origin, time: header.time,
            tracking: header.tracking, entry: header.entry, isDiscardable: header.isDiscardable,
            stateHash: header.stateHash, eventCount: header.eventCount, record: record,
            eventsOffset: header.eventsOffset)
    }

    /// The events, in the order in which they happened.
    ///
    /// - Throws: ``RecordError`` if a record with a valid checksum holds something that this library does not know.
    /// - Complexity: O(bytes).
    public func events() throws -> [ListEvent] { try Array(eventRun()) }

    /// The contents to which the events refer and which commits up to a version have set, without erased ones. One may be there twice.
    package func contents(through version: Version) throws -> [ContentReference] {
        var contents: [ContentReference] = []
        for event in try eventRun() {
            event.forEachContent { if $1.version <= version && !$1.isErased { contents.append($1) } }
        }
        return contents
    }

    /// The events, without an allocation if it is one.
    func eventRun() throws -> ListRun<ListEvent> {
        try record.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes, version: version, from: eventsOffset)
            if eventCount == 1 {
                let event = try reader.readEvent()
                try reader.checkEnd(after: 1)
                return .one(event)
            }
            return .many(try reader.readEvents(eventCount))
        }
    }
}

/// The header of a commit that is about to be made.
public struct CommitDraft: Sendable {
    /// The name of the user's action, as a menu shows it: "Add milk".
    public var name: String
    /// Who does it: a user, a device, a sync. May be empty.
    public var origin: String
    /// When it is done; frozen into the commit.
    public var time: Timestamp
    /// Which history it belongs to.
    public var tracking: Tracking
    /// Whether nothing needs to be saved because of it.
    public var isDiscardable: Bool
    /// The cause of the commit.
    var cause = Commit.Cause.edit

    /// The header of an edit.
    public init(
        name: String, origin: String = "", time: Timestamp, tracking: Tracking = .shared, isDiscardable: Bool = false
    ) {
        self.name = name
        self.origin = origin
        self.time = time
        self.tracking = tracking
        self.isDiscardable = isDiscardable
    }

    /// The scope of its history; nil if it is in none.
    var scope: HistoryScope? { tracking.scope { origin } }
}

// MARK: - For people

extension Commit: CustomStringConvertible, CustomReflectable {
    /// The version, the name, who made it and when: `8 undo of 7 "Add Milk" by anna, 2026-11-23T05:40:41Z`.
    public var description: String {
        Commit.text(version, cause, name: name, origin: origin, time)
    }

    /// The description of a commit.
    static func text(_ version: Version, _ cause: Cause, name: String, origin: String, _ time: Timestamp) -> String {
        let what = cause == .edit ? "" : "\(cause) "
        return "\(version) \(what)\"\(name)\"\(origin.isEmpty ? "" : " by \(origin)"), \(time)"
    }

    public var customMirror: Mirror {
        let events = (try? self.events()).map { $0 as Any } ?? "unreadable"
        return Mirror(
            self,
            children: [
                "version": version, "cause": cause, "name": name, "origin": origin, "time": time, "events": events,
            ], displayStyle: .class)
    }
}

extension Commit.Cause: CustomStringConvertible {
    /// As in "undo of 7".
    public var description: String {
        switch self {
        case .edit: "edit"
        case .undo(let version): "undo of \(version)"
        case .redo(let version): "redo of \(version)"
        case .go(let version): "go to \(version)"
        case .revert(let version): "revert of \(version)"
        case .restore(let version): "restore of \(version)"
        }
    }
}
