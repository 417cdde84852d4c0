// The recorded writes of a process to a file, in order, and the files that a power cut may leave.
//
// All synced writes are in the file. A sector with writes that were not synced has their result up to any one of them,
// because the system may write the sector at any time. Sectors are written completely or not at all.

import Foundation
import ListModel
import TestSupport
import Testing

/// A recorded run.
struct WriteRecord {
    enum Entry {
        case write(offset: Int, bytes: [UInt8], isDurable: Bool)
        case sync
        /// A sync failed: the system may have dropped any part of the writes since the last one.
        case failedSync
        /// A version was reported durable.
        case acknowledged(Version, hash: String)
    }

    static let sectorSize = 512
    private(set) var entries: [Entry] = []
    /// The file before the first entry.
    let base: [UInt8]

    /// Reads the record of `RecordedWriter`.
    init(path: String, base: [UInt8]) throws {
        self.base = base
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var place = 0
        func number() -> Int {
            defer { place += 8 }
            return Int(data[place..<place + 8].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
        while place + 17 <= data.count {
            let kind = data[place]
            place += 1
            let (offset, count) = (number(), number())
            // The process may end while another thread notes a write. Nothing after it was acknowledged.
            guard place + count <= data.count else { break }
            let bytes = Array(data[place..<place + count])
            place += count
            switch kind {
            case UInt8(ascii: "W"), UInt8(ascii: "D"):
                entries.append(.write(offset: offset, bytes: bytes, isDurable: kind == UInt8(ascii: "D")))
            case UInt8(ascii: "S"): entries.append(.sync)
            case UInt8(ascii: "F"): entries.append(.failedSync)
            default:
                let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
                entries.append(.acknowledged(Version(UInt64(words[0])!), hash: String(words[1])))
            }
        }
    }

    /// The result of a power cut.
    struct Image {
        var bytes: [UInt8]
        /// The newest version that was reported durable before.
        var acknowledged: (version: Version, hash: String)?
    }

    /// A random moment, mostly one right after an acknowledgement.
    func randomMoment(_ generator: inout SeededGenerator) -> Int {
        let moment = Int.random(in: 0...entries.count, using: &generator)
        guard generator.oneIn(2) else { return moment }
        return (moment..<entries.count).first { if case .acknowledged = entries[$0] { true } else { false } }
            .map { $0 + 1 } ?? moment
    }

    /// A file as a power cut before the entry at an index may leave it.
    ///
    /// - Parameter ignoresSyncs: whether the device reports syncs that it did not make: for a control.
    func image(before end: Int, ignoresSyncs: Bool = false, _ generator: inout SeededGenerator) -> Image {
        var image = Image(bytes: base)
        var pending: [(offset: Int, bytes: [UInt8])] = []
        for entry in entries[..<end] {
            switch entry {
            case .write(let offset, let bytes, let isDurable):
                if isDurable && !ignoresSyncs {
                    Self.apply(offset, bytes[...], to: &image.bytes)
                } else {
                    pending.append((offset, bytes))
                }
            case .sync:
                if ignoresSyncs { continue }
                for write in pending { Self.apply(write.offset, write.bytes[...], to: &image.bytes) }
                pending = []
            case .failedSync:
                Self.tear(pending, &image.bytes, &generator)
                pending = []
            case .acknowledged(let version, let hash): image.acknowledged = (version, hash)
            }
        }
        Self.tear(pending, &image.bytes, &generator)
        return image
    }

    /// Applies some of the writes that were not synced.
    private static func tear(
        _ pending: [(offset: Int, bytes: [UInt8])], _ bytes: inout [UInt8], _ generator: inout SeededGenerator
    ) {
        // Often all or none, which are the most likely cases.
        let mode = Int.random(in: 0..<4, using: &generator)
        if mode == 0 { return }
        var sectors: [Int: [Int]] = [:]
        for (index, write) in pending.enumerated() {
            for sector in write.offset / sectorSize...(write.offset + write.bytes.count - 1) / sectorSize {
                sectors[sector, default: []].append(index)
            }
        }
        for (sector, writes) in sectors.sorted(by: { $0.key < $1.key }) {
            let kept = mode == 1 ? writes.count : Int.random(in: 0...writes.count, using: &generator)
            for index in writes.prefix(kept) {
                let write = pending[index]
                let start = max(write.offset, sector * sectorSize)
                let end = min(write.offset + write.bytes.count, (sector + 1) * sectorSize)
                apply(start, write.bytes[start - write.offset..<end - write.offset], to: &bytes)
            }
        }
    }

    private static func apply(_ offset: Int, _ part: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        if bytes.count < offset + part.count {
            bytes += [UInt8](repeating: 0, count: offset + part.count - bytes.count)
        }
        bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
}
