// What `StoreWriter` was told: the commits that were acknowledged to it, compared with those of the log.

import Foundation
import ListModel

@testable import Listory

/// The acknowledged commits that a process has written down: pairs of a version and the checksum of its record.
enum Answers {
    /// The checksums of all records of a store, by version.
    static func checksums(_ store: UntypedStore) throws -> [Version: UInt64] {
        var checksums: [Version: UInt64] = [:]
        let newest = try store.version
        if newest == .empty { return checksums }
        try store.group.forEachRecord(in: 1...newest.rawValue) { version, record in
            checksums[version] = UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
        }
        return checksums
    }

    /// How many commits were acknowledged, and how many of those the log lacks or has otherwise.
    static func count(_ answers: Data, in checksums: [Version: UInt64]) -> (answered: Int, lost: Int) {
        let words = [UInt8](answers).withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt64.self).map(UInt64.init(littleEndian:))
        }
        let lost = stride(from: 0, to: words.count, by: 2).filter { index in
            checksums[Version(words[index])] != words[index + 1]
        }
        return (words.count / 2, lost.count)
    }
}
