// The row of a projection in the file. `Docs/Design/FileFormat.md` defines its bytes.
//
// Always holds: a row that was read has the right checksum, which covers its name. The caller checks whether it belongs
// to the present log.

import ListModel

/// The stored state of a projection.
struct ProjectionRow: Equatable {
    /// The version of the projection's rules.
    var rules: Int64
    /// The version of the list up to which it was folded, and the checksum of that version's record.
    var version: Version
    var checksum: UInt64
    /// The version from which on it has received the events; ``Version/empty`` if it has received all.
    var beginning: Version
    /// The bytes of the projection.
    var state: [UInt8]

    /// The most bytes of a name, which is the limit of a database key.
    static let nameLimit = 511

    private static let currentFormat: UInt8 = 1
    private static let headerSize = 41

    init(rules: Int, version: Version, checksum: UInt64, beginning: Version, state: [UInt8]) {
        self.rules = Int64(rules)
        self.version = version
        self.checksum = checksum
        self.beginning = beginning
        self.state = state
    }

    /// The state in a row; nil if the row is damaged, of another projection, or of a newer release.
    init?(_ row: UnsafeRawBufferPointer, name: String) {
        guard row.count >= ProjectionRow.headerSize else { return nil }
        func word(at offset: Int) -> UInt64 {
            // SAFETY: all offsets are in the header, whose size was just checked.
            UInt64(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let body = UnsafeRawBufferPointer(rebasing: row[8...])
        guard word(at: 0) == ProjectionRow.checksum(body, name), row[8] == ProjectionRow.currentFormat else {
            return nil
        }
        rules = Int64(bitPattern: word(at: 9))
        version = Version(word(at: 17))
        checksum = word(at: 25)
        beginning = Version(word(at: 33))
        state = Array(row[ProjectionRow.headerSize...])
    }

    /// The row.
    func bytes(name: String) -> [UInt8] {
        var body = [ProjectionRow.currentFormat]
        body.reserveCapacity(ProjectionRow.headerSize + state.count)
        for word in [UInt64(bitPattern: rules), version.rawValue, checksum, beginning.rawValue] {
            withUnsafeBytes(of: word.littleEndian) { body.append(contentsOf: $0) }
        }
        body += state
        let checksum = body.withUnsafeBytes { ProjectionRow.checksum($0, name) }
        return withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + body
    }

    private static func checksum(_ body: UnsafeRawBufferPointer, _ name: String) -> UInt64 {
        LogFormat.checksum(body, named: name, kind: 9)
    }
}
