// Carries out requests of any program, as lines of JSON.
//
// Requests are carried out in memory as they arrive. When no more can be read without waiting, the session waits once
// until all commits are durable, and only then sends the answers. So a program that waits for each answer gets it at
// once, and the requests of a file share a few syncs.
//
// Always holds:
// - an answer is sent only after its commit is durable, and answers come in the order of the requests; it says what is in
//   the log, also if another process has committed first;
// - a rejected request has changed nothing; if it asked for several steps, and a later one had conflicts, the answer
//   has the result of the first ones;
// - a group with a rejected request, or without its end, changes nothing.

import ListModel
import Listory

/// Carries out the requests of an input and answers each.
public struct ExecSession {
    private let store: UntypedStore
    /// The origin of the edits.
    private let origin: String
    private var queue: RequestQueue
    private let send: ([UInt8]) throws -> Void

    /// The answers that were not sent yet.
    private var answers = JSONWriter()
    /// For each answer that waits for a durable commit: that commit, where the answer is, and whether it is about this commit.
    private var needs: [(commit: Commit, answer: Range<Int>, isRight: Bool)] = []
    /// How many may wait: the store remembers for some thousand commits what became of them.
    private static let mostNeeds = 512
    /// The rows after the last commit.
    private var rows: UntypedSnapshot

    /// How many groups of commits are open.
    private var openGroupCount = 0

    /// How many requests were rejected.
    public private(set) var rejectedCount = 0

    /// The reason why a group is discarded.
    private enum GroupFailure: Error {
        case spoiled(line: Int, reason: String)
        case inputEnded
    }

    /// A session.
    ///
    /// - Parameters:
    ///   - store: the store to edit.
    ///   - origin: the origin of the edits, and of the history if the store was opened with `undoScope = .origin`.
    ///   - input: reads the requests.
    ///   - send: writes the answers; called with complete lines.
    public init(
        _ store: UntypedStore, origin: String = "", input: LineReader, send: @escaping ([UInt8]) throws -> Void
    ) throws {
        self.store = store
        self.origin = origin
        queue = RequestQueue(input)
        self.send = send
        rows = try store.snapshot
    }

    /// Carries out all requests, to the end of the input.
    ///
    /// - Throws: ``ToolError`` if the input ends inside a group; an error of the store, the input or the output. These
    ///   end the session; rejected requests do not.
    public mutating func run() throws {
        do {
            while let entry = try next() {
                try carryOut(entry)
                if needs.count >= ExecSession.mostNeeds { try sendWhenDurable() }
            }
            if openGroupCount > 0 {
                throw ToolError(
                    .rejected, "the input ended before endGroup: the commits since beginGroup are a step all the same")
            }
        } catch {
            // What was carried out before the failure becomes durable and is answered, or as much of it as can.
            try? sendWhenDurable()
            try? sendDurable()
            throw error
        }
    }

    /// The next request. Before waiting for one, all answers are sent.
    private mutating func next() throws -> RequestQueue.Entry? {
        if let entry = queue.next() { return entry }
        try sendWhenDurable()
        return try queue.refill() ? queue.next() : nil
    }

    // MARK: Requests

    private mutating func carryOut(_ entry: RequestQueue.Entry) throws {
        do {
            switch try entry.request.get() {
            case .edit(let edit):
                let commit = try store.edit(edit.commitName, origin: origin, durability: .deferred) {
                    try edit.apply(to: &$0)
                }
                try answerCommit(commit)
            case .history(let request, let policy): try carryOut(request, policy)
            case .branches(let limit):
                answers.write(.branches(try BranchReport(store, origin: origin, limit: limit)))
            case .beginGroup(let name):
                try store.beginGroup(name, origin: origin)
                openGroupCount += 1
                answers.write(.openGroups(openGroupCount))
            case .endGroup:
                try store.endGroup(origin: origin)
                openGroupCount -= 1
                answers.write(.openGroups(openGroupCount))
            case .begin(let name): try carryOutGroup(name)
            case .end: throw RequestError(.noGroup, "end: expected a group that has begun, found none")
            }
        } catch let error as ListError where !ExecSession.isRefusal(error) {
            // This ends the session, but is answered.
            rejectedCount += 1
            answers.write(.rejected(error))
            throw error
        } catch {
            try reject(error)
        }
    }

    private mutating func carryOut(_ request: HistoryRequest, _ policy: ConflictPolicy) throws {
        do {
            let conflicts = try request.carryOut(
                in: store, origin: origin, onConflict: policy, durability: .deferred)
            try answerCommit(nil, conflicts)
        } catch ListError.conflicts(let conflicts) {
            let error = ListError.conflicts(conflicts)
            let before = rows
            rows = try store.snapshot
            if rows.version == before.version { throw error }
            rejectedCount += 1
            try answer(.stopped(rows, Changeset(from: before, to: rows), error), waitsForDisk: true)
        }
    }

    /// Answers that a request changed nothing. An error that the request did not cause ends the session.
    private mutating func reject(_ error: any Error) throws {
        guard ExecSession.isRefusal(error) else { throw error }
        rejectedCount += 1
        answers.write(.rejected(error))
    }

    /// Whether a request caused an error, so that the session can go on.
    private static func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case is RequestError: true
        // A request may name any version, and nothing is wrong with the store if it does not have that one.
        case ListError.unknownVersion, ListError.droppedVersion: true
        case let failure as ListError:
            failure.isRejection && [.refused, .conflicts].contains(ExitStatus(error))
        case let failure as ToolError: failure.status == .refused
        default: false
        }
    }

    /// Answers with the changes since the last commit.
    ///
    /// - Parameter commit: the commit that was made; nil if there was none, or several.
    private mutating func answerCommit(_ commit: Commit?, _ conflicts: [MergeConflict] = []) throws {
        let before = rows
        rows = try store.snapshot
        try answer(
            .committed(rows, Changeset(from: before, to: rows), conflicts: conflicts),
            waitsForDisk: rows.version > before.version, commit)
    }

    /// Answers with something about the newest rows.
    ///
    /// - Parameter commit: the commit that the answer is to be about, if it is one: another process may have made the newest.
    private mutating func answer(_ answer: ExecAnswer, waitsForDisk: Bool, _ commit: Commit? = nil) throws {
        let start = answers.bytes.count
        answers.write(answer)
        guard waitsForDisk else { return }
        let isRight = commit.map { $0.version == rows.version } ?? true
        needs.append((try commit ?? store.commit(rows.version), start..<answers.bytes.count, isRight))
    }

    // MARK: Groups

    private mutating func carryOutGroup(_ name: String) throws {
        answers.write(.pending(0))
        // The closure may have to wait for lines, and the store cannot be used inside; so the earlier answers are sent
        // before it. If the whole group is in the queue, the closure does not wait.
        if !queue.holdsEnd { try sendWhenDurable() }
        do {
            try answerCommit(
                try store.edit(name, origin: origin, durability: .deferred) { try readGroup(&$0) })
        } catch GroupFailure.spoiled(let line, let reason) {
            throw RequestError(
                .groupSpoiled, "nothing of the group \"\(name)\" happened: line \(line) was rejected: \(reason)")
        } catch GroupFailure.inputEnded {
            throw ToolError(
                .rejected, "the input ended inside the group \"\(name.visible)\": nothing of it happened")
        }
    }

    /// Carries out the requests of a group, up to its end.
    private mutating func readGroup(_ list: inout UntypedEditor) throws {
        var firstRejected: GroupFailure?
        while let entry = try nextInGroup() {
            do {
                switch try entry.request.get() {
                case .edit(let edit):
                    try edit.apply(to: &list)
                    answers.write(.pending(list.pendingEventCount))
                case .end:
                    if let firstRejected { throw firstRejected }
                    return
                case let other:
                    throw RequestError(.insideGroup, "\(other.name): expected the end of the group first")
                }
            } catch {
                try reject(error)
                firstRejected = firstRejected ?? .spoiled(line: entry.line, reason: Diagnostic.text(error))
            }
        }
        throw GroupFailure.inputEnded
    }

    /// The next request of a group. If the group was not completely in the queue, all answers before it were sent.
    private mutating func nextInGroup() throws -> RequestQueue.Entry? {
        if let entry = queue.next() { return entry }
        try sendAll()
        return try queue.refill() ? queue.next() : nil
    }

    // MARK: Answers

    private mutating func sendWhenDurable() throws {
        if let last = needs.last { try store.waitUntilDurable(last.commit.version) }
        try sendAll()
    }

    private mutating func sendAll() throws { try send(through: answers.bytes.count) }

    /// Sends the answers up to the last one whose commit is durable.
    private mutating func sendDurable() throws {
        let durable = store.durableVersion
        // Others may have been faster: then the commit has another version.
        let firstLost = needs.firstIndex { store.successor(of: $0.commit).version > durable }
        let end = firstLost.map { $0 == 0 ? 0 : needs[$0 - 1].answer.upperBound } ?? answers.bytes.count
        try send(through: end)
    }

    private mutating func send(through end: Int) throws {
        if end == 0 { return }
        var lines: [UInt8] = []
        var next = 0
        for (commit, place, isRight) in needs where place.upperBound <= end {
            let made = store.successor(of: commit)
            if isRight && made.version == commit.version && made.checksum == commit.checksum { continue }
            lines += answers.bytes[next..<place.lowerBound]
            lines += try answerAgain(made)
            next = place.upperBound
        }
        lines += answers.bytes[next..<end]
        answers.removeFirst(end)
        needs.removeAll()
        try send(lines)
    }

    /// The answer about a commit that was made again, because another process had committed first: only what this commit changed.
    private mutating func answerAgain(_ commit: Commit) throws -> [UInt8] {
        let before = try store.snapshot(at: Version(commit.version.rawValue - 1))
        let after = try store.snapshot(at: commit.version)
        let changeset = Changeset(from: before, to: after)
        var writer = JSONWriter()
        if let reason = try commit.annotations().first(where: { $0.name == CommitAnnotation.lostRace }) {
            rejectedCount += 1
            let text = "another process committed first, and nothing is left of the edit: "
            writer.write(
                .stopped(
                    after, changeset, RequestError(.lostRace, text + String(decoding: reason.value, as: UTF8.self))))
        } else {
            writer.write(.committed(after, changeset))
        }
        return writer.bytes
    }
}
