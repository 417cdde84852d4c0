// A version that has a name, and its row in the file. `Docs/Design/FileFormat.md` defines its bytes.
//
// Always holds: a row that was read has the right checksum, which covers the name.

import ListModel

/// A version that has a name.
public struct NamedVersion: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The version.
    public let version: Version
    /// The hash of its rows.
    public let stateHash: StateHash
    /// When the version was named. Changing the name keeps it.
    public let time: Timestamp

    /// How many bytes of UTF-8 a name has.
    static let validBytes = 1...255

    private static let currentFormat: UInt8 = 1
    private static let byteCount = 33

    init(name: String, version: Version, stateHash: StateHash, time: Timestamp) {
        (self.name, self.version, self.stateHash, self.time) = (name, version, stateHash, time)
    }

    /// Checks a name.
    ///
    /// - Throws: ``ListError/invalidName(_:validBytes:)``.
    static func check(_ name: String) throws {
        if !validBytes.contains(name.utf8.count) { throw ListError.invalidName(name, validBytes: validBytes) }
    }

    /// The version that a row gives a name; nil if the row is damaged, of another name, or of a newer release.
    init?(_ row: UnsafeRawBufferPointer, name: String) {
        guard row.count == NamedVersion.byteCount else { return nil }
        func word(at offset: Int) -> UInt64 {
            // SAFETY: all offsets are in the row, whose size was just checked.
            UInt64(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let body = UnsafeRawBufferPointer(rebasing: row[8...])
        guard word(at: 0) == NamedVersion.checksum(body, name), row[8] == NamedVersion.currentFormat else { return nil }
        self.init(
            name: name, version: Version(word(at: 9)), stateHash: StateHash(rawValue: word(at: 17)),
            time: Timestamp(microseconds: Int64(bitPattern: word(at: 25))))
    }

    /// The row.
    var bytes: [UInt8] {
        var body = [NamedVersion.currentFormat]
        for word in [version.rawValue, stateHash.rawValue, UInt64(bitPattern: time.microseconds)] {
            withUnsafeBytes(of: word.littleEndian) { body.append(contentsOf: $0) }
        }
        let checksum = body.withUnsafeBytes { NamedVersion.checksum($0, name) }
        return withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + body
    }

    private static func checksum(_ body: UnsafeRawBufferPointer, _ name: String) -> UInt64 {
        LogFormat.checksum(body, named: name, kind: 10)
    }

    /// The key of the row of a name.
    static func key(_ name: String) -> String { LogFormat.namePrefix + name }

    /// The name whose row has a key; nil if it is another row.
    static func name(ofKey key: some Collection<UInt8>) -> String? {
        guard key.starts(with: LogFormat.namePrefix.utf8) else { return nil }
        return String(decoding: key.dropFirst(LogFormat.namePrefix.utf8.count), as: UTF8.self)
    }
}

extension NamedVersion {
    /// Whether all is the same; names are compared byte by byte, as in the file.
    public static func == (left: NamedVersion, right: NamedVersion) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.version == right.version
            && left.stateHash == right.stateHash
            && left.time == right.time
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(name.utf8))
        hasher.combine(version)
    }
}

extension NamedVersion: CustomStringConvertible {
    /// The name and the version: `"1.0" is version 12`.
    public var description: String { "\"\(name)\" is version \(version)" }
}
