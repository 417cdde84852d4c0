// Snapshots: how a new replica begins without reading the whole past.
//
// Always holds: a snapshot is adopted only if the log has its last commit at its position, and its rows are those of that commit.

import Foundation
@_spi(Sync) import Listory
import ListModel
import SharedLog

extension Replica {
    /// Offers a snapshot if the log has grown by more than ``Options/snapshotBytes`` since the last one. If that fails, everything has been
    /// exchanged all the same: the state says so, and it is tried again when the log has grown as much again; one that is too large, when the
    /// log has grown by its size. If nothing was sent, because
    /// the server cannot be reached or another file is just made beside the store, the next exchange tries again.
    ///
    /// - Parameter isPatient: whether it waits a while before, so that another replica may do it.
    func offerSnapshotIfDue(isPatient: Bool = false) async {
        var isSending = false
        do {
            guard let snapshot = try await dueSnapshot(isPatient: isPatient) else { return }
            isSending = true
            try await offer(snapshot)
        } catch {
            if Task.isCancelled { return }
            if !isSending {
                if case SharedLogError.unavailable = error { return }
                if case ListError.inUse = error { return }
            }
            isFirstToOffer = false
            snapshotNumber = store.confirmed?.version.rawValue ?? snapshotNumber
            // To see that it still is, all of it has to be made.
            if case SharedLogError.tooLarge(_, let bytes, _) = error { tooLargeSnapshot = (snapshotNumber, bytes) }
            published.change { $0.snapshotFailure = error }
        }
    }

    /// The same while commits are exchanged, because on a slow line it may take minutes. None is being offered yet.
    func offerSnapshotBeside() {
        guard isSnapshotDue else {
            isFirstToOffer = false
            return
        }
        let isPatient = !isFirstToOffer
        offering = Task {
            await offerSnapshotIfDue(isPatient: isPatient)
            offering = nil
        }
    }

    /// Whether the log has grown so much since the last snapshot that is known.
    var isSnapshotDue: Bool { hasGrown(byLimits: 1) }

    /// Whether the log has grown by so many times ``Options/snapshotBytes`` since the last snapshot that is known.
    private func hasGrown(byLimits count: Double) -> Bool {
        guard let limit = options.snapshotBytes, let number = store.confirmed?.version.rawValue, number > 0 else {
            return false
        }
        // By the mean, because the bytes up to the snapshot are not known.
        let mean = Double(store.confirmedRecordBytes) / Double(number)
        let start = max(snapshotNumber, tooLargeSnapshot?.number ?? 0)
        let growth = max(Double(limit), Double(tooLargeSnapshot?.bytes ?? 0))
        return mean * Double(number - min(number, start)) >= growth * count
    }

    /// A snapshot that is to be offered; nil if none is due any more, or commits wait to be sent.
    private func dueSnapshot(isPatient: Bool) async throws -> LogSnapshot? {
        guard try await isSnapshotStillDue() else { return nil }
        // Where no replica runs for as long as the pause, the first one that notices it does not wait.
        if isPatient, !hasGrown(byLimits: 2) {
            try await Task.sleep(for: options.snapshotPause())
            guard try await isSnapshotStillDue() else { return nil }
        }
        // While it was made, another replica may have offered one, which may be newer.
        guard let snapshot = try await makeSnapshot(), try await isSnapshotStillDue(),
            snapshot.position.number > snapshotNumber
        else { return nil }
        return snapshot
    }

    /// Whether one is due; asks for what other replicas have offered.
    private func isSnapshotStillDue() async throws -> Bool {
        guard isSnapshotDue else { return false }
        // One that is damaged keeps nobody from offering another.
        do { snapshotNumber = try await offeredNumber() } catch SharedLogError.damaged { snapshotNumber = 0 }
        if !isSnapshotDue { noteOffered() }
        return isSnapshotDue
    }

    /// The number of the newest snapshot in the log; 0 if there is none, or the log has another entry there: it may be of a branch that is
    /// no more. An entry that was encrypted again counts as another one.
    private func offeredNumber() async throws -> UInt64 {
        guard let position = try await log.snapshotPosition(), position.number > 0,
            try await log.entry(position.number)?.position == position
        else { return 0 }
        return position.number
    }

    /// Offers a snapshot now: new replicas begin with it, also if the log is damaged before it.
    ///
    /// - Returns: whether it did: not while commits wait to be sent.
    /// - Throws: ``SharedLogError``, ``SyncProblem``, ``ListError``.
    @discardableResult
    public func offerSnapshot() async throws -> Bool {
        guard let snapshot = try await makeSnapshot() else { return false }
        try await offer(snapshot)
        return true
    }

    /// A snapshot of the confirmed commits; nil while commits wait to be sent.
    private func makeSnapshot() async throws -> LogSnapshot? {
        try Task.checkCancellation()
        let made = try store.withSnapshot { path, position in
            // It is mapped, not read.
            let file = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            try LogSnapshot.checkSize(file.count + codec.overhead, at: position.version.rawValue)
            return (position, try codec.payload(of: file, number: position.version.rawValue))
        }
        guard let (position, bytes) = made else { return nil }
        let number = position.version.rawValue
        guard let entry = try await log.entry(number), entry.number == number,
            try checksum(of: entry) == position.checksum
        else { return nil }
        return LogSnapshot(position: entry.position, bytes: bytes)
    }

    private func offer(_ snapshot: LogSnapshot) async throws {
        try Task.checkCancellation()
        try await log.offer(snapshot)
        (snapshotNumber, tooLargeSnapshot) = (snapshot.position.number, nil)
        noteOffered()
    }

    /// The log has a new snapshot.
    private func noteOffered() {
        isFirstToOffer = false
        if published.state.snapshotFailure != nil { published.change { $0.snapshotFailure = nil } }
    }

    /// Makes the file of a new replica from the snapshot in the log, if there is none yet and the log has one.
    ///
    /// Call it before the store is opened. Without a snapshot, the replica reads the log from the beginning.
    ///
    /// - Returns: whether it made the file. A snapshot that is damaged, of a newer release, or not of this log makes none; nor does one
    ///   that arrives after another program has made the file.
    /// - Throws: ``SharedLogError``, ``SyncProblem``, ``ListError``, an error of the system.
    @discardableResult
    public static func beginWithSnapshot(
        at path: String, _ log: any SharedLog, list: String, options: Options = Options()
    ) async throws -> Bool {
        guard !FileManager.default.fileExists(atPath: path) else { return false }
        // The log has everything as well.
        let found: LogSnapshot?
        do { found = try await log.snapshot() } catch let error as SharedLogError {
            switch error {
            case .damaged, .futureFormat(.snapshot, _, _): found = nil
            default: throw error
            }
        }
        guard let snapshot = found else { return false }
        let codec = SyncCodec(key: options.key, list: list)
        let number = snapshot.position.number
        let entry = number == 0 ? nil : try await log.entry(number)
        // It may be of a branch that is no more. Whether it is, the record of the entry says below: after a loss, the entry itself may have
        // been encrypted anew.
        guard let entry, entry.number == number else { return false }
        let record = try codec.bytes(entry.payload, number: number)
        // The key is that of the list, because the record could be read.
        guard let bytes = try? codec.bytes(snapshot.bytes[...], number: number) else { return false }
        return try await makeFile(at: path) { scratch in
            try write(bytes, to: scratch)
            return try UntypedStore.isSnapshot(at: scratch, endingWith: record, Version(number))
        }
    }

    /// Makes the first file of a replica, unless there is one. If another program is just making it, waits for that.
    ///
    /// - Parameter body: as that of `UntypedStore.makeReplica(at:_:)`.
    /// - Returns: whether it was made here.
    /// - Throws: what `body` throws, an error of the system, and `CancellationError`.
    package static func makeFile(at path: String, _ body: (_ scratch: String) throws -> Bool) async throws -> Bool {
        while true {
            do { return try UntypedStore.makeReplica(at: path, body) } catch ListError.inUse {
                // It is done soon, or its claim ends with it.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Writes a new file that only its owner may read, as stores are.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: bytes)
    }
}
