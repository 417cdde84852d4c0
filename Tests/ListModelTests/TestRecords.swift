// Records that are made by hand for the tests of the codec: with any events, well-formed or damaged on purpose.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
@testable import ListModel
import TestSupport

enum TestRecords {
    /// The record of a commit of these events, without new content.
    static func record(
        of events: [ListEvent], version: Version, cause: Commit.Cause = .edit, name: String = "name",
        origin: String = "origin", tracking: Tracking = .shared, isDiscardable: Bool = false,
        entry: HistoryEntry? = nil, link: UInt32 = 0, eventCount: Int? = nil
    ) -> [UInt8] {
        var draft = CommitDraft(
            name: name, origin: origin, time: Timestamp(microseconds: 1), tracking: tracking,
            isDiscardable: isDiscardable)
        draft.cause = cause
        let entry = entry ?? (tracking == .untracked ? .untracked : self.entry(version, cause))
        var writer = ByteWriter()
        writer.begin(draft, version: version, entry: entry, link: link)
        for event in events { writer.write(event, version: version) }
        return writer.finish(
            version: version, entry: entry, stateHash: StateHash(rawValue: 0xABCD),
            eventCount: eventCount ?? events.count)
    }

    /// A history entry for a commit whose history does not matter: it follows the commit before it, or checks it out.
    static func entry(_ version: Version, _ cause: Commit.Cause) -> HistoryEntry {
        let before = Version(version.rawValue - 1)
        if cause.isMove {
            return .move(
                ListHistory(
                    position: .empty, tip: before, newest: before, switched: .empty, undoCount: 0, redoCount: 1,
                    depth: 0), nil)
        }
        return .node(
            HistoryRevision(
                version: version, parent: before, jump: .empty, depth: 1,
                steps: 1, continues: false, previous: before, switched: .empty,
                branchSwitch: nil))
    }

    /// The record with a right checksum, as an attacker would make it.
    static func resealed(_ record: [UInt8], version: Version) -> [UInt8] {
        var result = record
        let checksum = record.withUnsafeBytes { RecordLayout.checksum($0, version: version) }
        withUnsafeBytes(of: checksum.littleEndian) { result.replaceSubrange(0..<8, with: $0) }
        return result
    }

    /// The record with one byte replaced and a right checksum.
    static func resealed(_ record: [UInt8], version: Version, byte: UInt8, at offset: Int) -> [UInt8] {
        var result = record
        result[offset] = byte
        return resealed(result, version: version)
    }

    /// The problem for which a record is rejected; nil if it is accepted, or if the error is of another type.
    static func problem(
        _ record: [UInt8], version: Version, previousChecksum: UInt64? = nil
    ) -> RecordError.Problem? {
        do {
            _ = try Commit(record: record, version: version, previousChecksum: previousChecksum).events()
            return nil
        } catch {
            return (error as? RecordError)?.problem
        }
    }

    // MARK: Events of every kind

    /// Identifiers of every kind, at the edges of their encodings.
    static let identifiers: [UntypedID] = [
        0, 1, -1, 63, 64, -64, -65, .integer(.max), .integer(.min), "", "x", "Zoë \u{1F95B}",
        .string(String(repeating: "long ", count: 60)), "e\u{301}", "nul \0 inside",
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
        .uuid(UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
    ]

    /// References to content of earlier commits, for a record of a version of at least 2⁴⁰.
    static let references: [ContentReference] = [
        ContentReference(version: Version(1), offset: 0, length: 0, hash: 0),
        ContentReference(version: Version(1 << 39), offset: 127, length: 31, hash: 1),
        ContentReference(version: Version((1 << 40) - 1), offset: 128, length: 32, hash: SequenceHash.modulus - 1),
        ContentReference(version: Version(77), offset: .max, length: .max, hash: 1 << 60),
    ]

    private static func items(_ count: Int) -> [UntypedRow] {
        (0..<count).map { index in
            UntypedRow(
                id: identifiers[index % identifiers.count], isChecked: index % 3 == 1,
                content: references[index % references.count], depth: [0, 1, 0, 63, 5][index % 5],
                isCollapsed: index % 4 == 3)
        }
    }

    /// A row at a depth, in 14 bytes: kind of id, place in the outline, id; tag, distance, offset and hash of its content.
    static let deepItem = UntypedRow(
        id: 1, isChecked: false, content: ContentReference(version: Version(1), offset: 0, length: 0, hash: 0), depth: 2
    )

    /// Events of every kind, with every kind of identifier, at small and large positions.
    static let everyKind: [ListEvent] = {
        let far = ListIndexPath(section: 200, item: 1 << 40)
        let near = ListIndexPath(section: 0, item: 0)
        let empty = ListSection(id: -5, title: "", items: [])
        let full = ListSection(id: "full", title: "Überschrift", items: items(identifiers.count))
        var events: [ListEvent] = [
            .itemsInserted(at: far, .many(items(identifiers.count))), .itemsDeleted(at: near, .many(items(2))),
            .itemsMoved(from: far, to: near, .many(identifiers)), .itemsMoved(from: near, to: far, .many([1, 2])),
            .itemsIndented(at: far, .many(identifiers), by: 1), .itemsIndented(at: near, .many([1, 2]), by: -1),
            .sectionInserted(at: 0, full), .sectionInserted(at: 130, empty), .sectionDeleted(at: 3, full),
            .sectionDeleted(at: 0, empty), .listReloaded(old: [], new: []), .listReloaded(old: [full], new: []),
            .listReloaded(old: [], new: [empty]), .listReloaded(old: [empty, full], new: [full, empty, full]),
        ]
        for (index, id) in identifiers.enumerated() {
            let content = references[index % references.count]
            let item = UntypedRow(id: id, isChecked: index % 2 == 0, content: content)
            events += [
                .itemsInserted(at: near, .one(item)), .itemsDeleted(at: far, .one(item)),
                .itemsMoved(from: near, to: far, .one(id)), .itemToggled(at: far, id, isChecked: index % 2 == 0),
                .itemUpdated(at: near, id, old: content, new: references[(index + 1) % references.count]),
                .itemsIndented(at: near, .one(id), by: index % 2 == 0 ? -63 : 63),
                .itemCollapsed(at: far, id, isCollapsed: index % 2 == 0),
                .sectionMoved(from: index, to: 300 - index, id), .sectionRenamed(at: index, id, old: "", new: "new"),
            ]
        }
        return events
    }()
}

extension ListEvent {
    /// The content references of the event, in order; equality of rows does not compare them completely.
    var references: [ContentReference] {
        var references: [ContentReference] = []
        forEachContent { references.append($1) }
        return references
    }
}

/// A log that throws if a record is missing.
struct ArraySource: CommitSource {
    struct Missing: Error {}

    var records: [[UInt8]] = []

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard version.rawValue >= 1, version.rawValue <= UInt64(records.count) else { throw Missing() }
        try records[Int(version.rawValue) - 1].withUnsafeBytes(body)
    }
}
