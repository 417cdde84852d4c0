// Salvage: makes new stores of everything that can be read in a damaged one.
//
// Always holds: the damaged file is only read, with ordinary reads, and not opened by LMDB. A new file gets its name when
// it is complete, verified and durable.

import LMDB
import ListModel

/// What can be read in a file, or was salvaged from it, in numbers.
public struct SalvageReport: Hashable, Sendable {
    /// A store that was written: a part of the log without a gap.
    public struct Part: Hashable, Sendable {
        /// Its file; empty if nothing was written.
        public var path: String
        /// The version with which its log begins.
        public let oldestVersion: Version
        /// Its newest version that was in the damaged file.
        public let version: Version
        /// How many commits it has.
        public let commitCount: UInt64
        /// How many events it has.
        public let eventCount: UInt64
    }

    /// How many pages the file has.
    public let pageCount: Int
    /// How many places in the file are not what they have to be: pages that are missing or damaged, and entries with a
    /// wrong checksum.
    public let damageCount: Int
    /// The newest version that the file is known to have had.
    public let newestVersion: Version
    /// How many commits of its log cannot be read.
    public let lostCommitCount: UInt64
    /// How many can be read, but belong to no part, because the rows before them are not known. Rows of theirs are among
    /// ``leftoverCount``.
    public let looseCommitCount: UInt64
    /// The parts of the log, the newest first; none if no commit and no checkpoint can be read.
    public internal(set) var parts: [Part]
    /// How many rows the newest version of the first part has.
    public let itemCount: Int
    /// How many of these have a content that is lost, without those that were lost when the store was salvaged before. A last commit
    /// deletes them.
    public let unreadableCount: Int
    /// How many contents of dropped commits are lost, those that only earlier versions have included; without those that were lost when
    /// the store was salvaged before.
    public let lostContentCount: Int
    /// How many names of versions are lost, or are of versions whose rows are. If the rows of names are damaged, nobody knows how many
    /// there were: then it is at least 1, and names are also taken from old pages. Some of these may have been taken away.
    public let lostNameCount: Int
    /// How many rows of later versions can be read, and are added at the end of ``section``.
    public let leftoverCount: Int
    /// How many rows of the first part get the newer content of a later version.
    public let updatedCount: Int
    /// The section to which these rows are added: the last one, or a new one if there is none; nil if no rows are added.
    public internal(set) var section: UntypedID?

    /// Whether nothing of the log and no row is lost.
    public var isComplete: Bool {
        lostCommitCount == 0 && looseCommitCount == 0 && parts.count <= 1 && unreadableCount == 0
            && lostContentCount == 0 && lostNameCount == 0 && leftoverCount == 0 && updatedCount == 0
    }
}

extension StoreProtocol {
    /// Makes a new store of everything that can be read in a damaged one, and verifies it.
    ///
    /// The new store has the newest version that can be read, and the log that leads to it, as far back as it has no gap.
    /// Earlier parts of the log become stores of their own, with `-1`, `-2` … after the path, the newest first. If later
    /// commits or parts of a later checkpoint can be read, but not the version that they belong to, their rows are
    /// added in one last commit, at the end of the last section.
    ///
    /// ```swift
    /// let report = try ListStore<String, Todo>.salvage(from: damaged, to: path)
    /// print("\(report.lostCommitCount) commits are lost")
    /// ```
    ///
    /// - Parameters:
    ///   - damaged: the file. It is not changed. This process must not have it open.
    ///   - path: the new store; a file that does not exist.
    ///   - options: the greatest size of the new file, and the clock.
    ///   - progress: called from time to time with the part that is done, 0 to 1.
    /// - Throws: ``ListError/notFound(path:)``, ``ListError/alreadyExists(path:)``, ``ListError/inUse(path:)``;
    ///   ``ListError/notAStore(path:found:)`` if nothing can be read; ``ListError/unknownFormat(path:found:supported:)``;
    ///   errors of reading and writing. No new file is left then.
    /// - Complexity: O(size of the file + events · log n).
    @discardableResult
    public static func salvage(
        from damaged: String, to path: String, options: StoreOptions = StoreOptions(),
        progress: (Double) -> Void = { _ in }
    ) throws -> SalvageReport {
        try door {
            try UntypedStore.salvageAndVerify(from: damaged, to: path, options, isRepair: false, progress).report
        }
    }

    /// Says what ``salvage(from:to:options:progress:)`` would save and what is lost, and writes nothing.
    ///
    /// - Throws: as ``salvage(from:to:options:progress:)``.
    public static func survey(at path: String, progress: (Double) -> Void = { _ in }) throws -> SalvageReport {
        try door {
            try UntypedStore.scanning(path) { index in
                try Salvage(index, path, to: nil, StoreOptions()).run(progress).report
            }
        }
    }
}

extension UntypedStore {
    /// Salvages a store, and returns with the report what verifying its files found, the newest first. A repair has claimed the store.
    static func salvageAndVerify(
        from damaged: String, to path: String, _ options: StoreOptions, isRepair: Bool, _ progress: (Double) -> Void
    ) throws -> (report: SalvageReport, found: [StoreVerification]) {
        func salvage() throws -> (report: SalvageReport, found: [StoreVerification]) {
            try scanning(damaged) { index in
                if !isRepair { index.confirmed = nil }
                return try Salvage(index, damaged, to: path, options).run(progress)
            }
        }
        if !isRepair { return try claimingUnused(path, salvage) }
        try requireUnused(path)
        return try salvage()
    }

    fileprivate static func scanning<Result>(_ path: String, _ body: (SalvageIndex) throws -> Result) throws -> Result {
        guard Platform.exists(path) else { throw ListError.notFound(path: path) }
        do {
            return try DataFile.scan(path) { try body(SalvageIndex($0, path: path)) }
        } catch let error as LMDBError {
            throw CommitLog.refusal(error, path, isReadOnly: true)
        }
    }
}

/// A salvage in progress.
struct Salvage {
    private let index: SalvageIndex
    private let damaged: String
    private let path: String?
    private let options: StoreOptions

    init(_ index: SalvageIndex, _ damaged: String, to path: String?, _ options: StoreOptions) {
        self.index = index
        self.damaged = damaged
        self.path = path
        var options = options
        (options.isReadOnly, options.lastVersion, options.isKnownToOthers) = (false, nil, false)
        // Closing makes no copy of a file that is one.
        options.unpackedCount = .max
        // What is saved is that of the file, whatever an app would accept.
        options.rules = []
        self.options = options
    }

    /// The file of a part while it is written.
    private func scratch(_ number: Int) -> String? {
        path.map { Salvage.numbered(DataFile.Scratch.salvaging.path(of: $0), number) }
    }

    /// The final file of a part.
    private func final(_ number: Int) -> String? { path.map { Salvage.numbered($0, number) } }

    private static func numbered(_ path: String, _ number: Int) -> String { number == 0 ? path : "\(path)-\(number)" }

    /// Removes the parts that a killed salvage has left at a place. It may have removed some of them itself, so they are looked for in the
    /// folder. The caller has claimed the place.
    ///
    /// - Parameter mayMissSome: whether it is enough, in a folder that may not be listed, to remove the first parts without a gap.
    /// - Throws: ``ListError/notPermitted(path:isReadOnly:)`` if a part stays, or if the folder may not be listed; an error of the system.
    static func removeParts(for path: String, mayMissSome: Bool) throws {
        let part = DataFile.Scratch.salvaging.path(of: path)
        // Bytes are compared: names that are equal as text may be those of two files.
        let start = part.utf8.lastIndex(of: UInt8(ascii: "/")).map { part.utf8.index(after: $0) } ?? part.startIndex
        let folder = start == part.startIndex ? "./" : String(part[..<start])
        let beginning = Array(part[start...].utf8)
        switch Platform.names(in: folder) {
        case .success(let names):
            for name in names where name.starts(with: beginning) {
                var number = String(decoding: name.dropFirst(beginning.count), as: UTF8.self)
                if number.hasSuffix("-lock") { number.removeLast("-lock".count) }
                guard number.isEmpty || (number.first == "-" && Int(number) != nil) else { continue }
                try UntypedStore.removeLeftover(part + number)
            }
        case .failure(let failure):
            let error = LMDBError(code: failure.number, in: "opendir", detail: folder)
            guard mayMissSome, error.code == .accessDenied else {
                throw CommitLog.refusal(error, folder, isReadOnly: true)
            }
            var number = 0
            while Platform.exists(numbered(part, number)) {
                try UntypedStore.removeLeftover(numbered(part, number))
                number += 1
            }
        }
    }

    func run(_ progress: (Double) -> Void) throws -> (report: SalvageReport, found: [StoreVerification]) {
        if let path { try Salvage.removeParts(for: path, mayMissSome: true) }
        var found: [(piece: SalvagedPiece, file: String?)] = []
        var made: [String] = []
        // Whatever did not get its final name is removed.
        defer { made.forEach(DataFile.remove) }
        var loose: [SalvagePiece] = []
        var waiting = Array(index.pieces().reversed())
        let readable = waiting.reduce(0) { $0 + $1.commitCount }
        let total = Double(max(1, index.newestKnown.rawValue))
        func replay(_ piece: SalvagePiece?, _ beginning: consuming SalvageBeginning) throws -> SalvagedPiece {
            let file = scratch(made.count)
            if let file { made.append(file) }
            let result = try index.replay(piece, from: beginning, to: file, options) {
                progress(Double($0) / total * 0.6)
            }
            if result.rest == nil || result.last > result.base { found.append((result, file)) }
            return result
        }
        while let piece = waiting.popLast() {
            guard let beginning = try index.beginning(of: piece) else {
                loose.append(piece)
                continue
            }
            guard let rest = try replay(piece, beginning).rest else { continue }
            // What does not fit may still be led to by a later checkpoint.
            if rest.units.startIndex == piece.units.startIndex { loose.append(rest) } else { waiting.append(rest) }
        }
        found.sort { $0.piece.last > $1.piece.last }
        for checkpoint in index.checkpoints.reversed() {
            guard checkpoint.version > found.first?.piece.last ?? .empty else { break }
            guard let beginning = try index.beginning(at: checkpoint) else { continue }
            _ = try replay(nil, beginning)
            found.sort { $0.piece.last > $1.piece.last }
            break
        }
        return try report(found, loose, readable, &made, progress)
    }

    /// Adds the rows that are left over, verifies the files, and gives them their names.
    private func report(
        _ found: [(piece: SalvagedPiece, file: String?)], _ loose: [SalvagePiece], _ readable: UInt64,
        _ made: inout [String], _ progress: (Double) -> Void
    ) throws -> (report: SalvageReport, found: [StoreVerification]) {
        let newest = found.first?.piece
        let leftovers = try SalvageLeftovers(index, loose, after: newest?.last ?? .empty)
        if found.isEmpty && leftovers.identifiers.isEmpty && index.units.isEmpty && !index.isStore {
            throw ListError.notAStore(path: damaged, found: "nothing that can be read")
        }
        let last = SalvageCommit(leftovers, newest, index.identifierKinds)
        let kept = found.reduce(0) { $0 + $1.piece.last.rawValue - $1.piece.base.rawValue }
        let oldest = index.base?.version ?? .empty
        let known = index.newestKnown.rawValue - min(index.newestKnown.rawValue, oldest.rawValue)
        var report = SalvageReport(
            pageCount: index.scan.pageCount,
            damageCount: index.scan.damageCount + index.damagedEntryCount
                + index.scan.unreadablePageCount,
            newestVersion: index.newestKnown,
            lostCommitCount: known - min(known, readable) + UInt64(index.damagedSetAsideCount),
            looseCommitCount: readable - min(readable, kept),
            parts: found.map { part in
                SalvageReport.Part(
                    path: "", oldestVersion: part.piece.base, version: part.piece.last,
                    commitCount: part.piece.last.rawValue - part.piece.base.rawValue, eventCount: part.piece.eventCount)
            },
            itemCount: newest?.rows.itemCount ?? 0, unreadableCount: newest?.unreadable.count ?? 0,
            lostContentCount: newest?.lostContentCount ?? 0,
            lostNameCount: index.damagedNameCount + index.names.count + (index.hasDamagedNames ? 1 : 0)
                - Set(found.flatMap { $0.piece.names.map { Array($0.name.utf8) } }).count,
            leftoverCount: last.added.count, updatedCount: last.updated.count, section: last.section)
        guard path != nil else { return (report, []) }
        var files = found.compactMap(\.file)
        if files.isEmpty, let file = scratch(made.count) {
            made.append(file)
            try UntypedStore.create(at: file, options: options).close()
            files = [file]
        }
        if !last.isEmpty { try last.make(in: files[0], options) }
        // Only now, because rows that are left over may be of other kinds.
        if let kinds = index.identifierKinds { try files.forEach { try CommitLog.put(kinds, into: $0) } }
        let verified = try files.enumerated().map { number, file in
            try StoreVerification(path: file) { progress(0.6 + 0.4 * (Double(number) + $0) / Double(files.count)) }
        }
        for (number, file) in files.enumerated().reversed() {
            guard let final = final(number) else { break }
            try DataFile.publish(file, as: final)
            if report.parts.indices.contains(number) { report.parts[number].path = final }
        }
        progress(1)
        return (report, verified)
    }
}
