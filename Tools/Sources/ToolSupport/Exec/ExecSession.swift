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
    /// The answers about rows.
    private var needs: [Need] = []
    /// How many may wait: the store remembers for some thousand commits what became of them.
    private static let mostNeeds = 512
    /// The rows of the last answer.
    private var rows: UntypedSnapshot
    /// Those of the last answer that was sent.
    private var sentRows: UntypedSnapshot

    /// An answer about rows, which is not sent before its commit is durable.
    private struct Need {
        /// The commit; nil if nothing changed.
        let commit: Commit?
        let rows: UntypedSnapshot
        let conflicts: [MergeConflict]
        let error: (any Error)?
        /// Where it is among the answers.
        let place: Range<Int>
    }

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
        sentRows = rows
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
            let made = try request.carryOut(in: store, origin: origin, onConflict: policy, durability: .deferred)
            try answerCommit(made.commit, made.conflicts)
        } catch ListError.conflicts(let conflicts) {
            let error = ListError.conflicts(conflicts)
            let before = rows
            rows = try store.snapshot
            if rows.version == before.version { throw error }
            rejectedCount += 1
            // Of several steps, the error does not say which commits were made.
            try answer(since: before, store.commit(rows.version), error: error)
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
    /// - Parameter commit: the commit that was made, the last one if there are several; nil if there was none.
    private mutating func answerCommit(_ commit: Commit?, _ conflicts: [MergeConflict] = []) throws {
        let before = rows
        rows = try store.snapshot
        try answer(since: before, commit, conflicts)
    }

    /// Answers with the newest rows.
    private mutating func answer(
        since before: UntypedSnapshot, _ commit: Commit?, _ conflicts: [MergeConflict] = [], error: (any Error)? = nil
    ) throws {
        let start = answers.bytes.count
        write(since: before, rows, conflicts, error, to: &answers)
        needs.append(
            Need(
                commit: commit, rows: rows, conflicts: conflicts, error: error, place: start..<answers.bytes.count))
    }

    private func write(
        since before: UntypedSnapshot, _ rows: UntypedSnapshot, _ conflicts: [MergeConflict], _ error: (any Error)?,
        to writer: inout JSONWriter
    ) {
        let changeset = Changeset(from: before, to: rows)
        if let error {
            writer.write(.stopped(rows, changeset, error))
        } else {
            writer.write(.committed(rows, changeset, conflicts: conflicts))
        }
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
        if let last = needs.last(where: { $0.commit != nil })?.commit { try store.waitUntilDurable(last.version) }
        try sendAll()
    }

    private mutating func sendAll() throws { try send(through: answers.bytes.count) }

    /// Sends the answers up to the last one whose commit is durable.
    private mutating func sendDurable() throws {
        let durable = store.durableVersion
        // Others may have been faster: then the commit has another version.
        let firstLost = needs.firstIndex { $0.commit.map { store.successor(of: $0).version > durable } ?? false }
        let end = firstLost.map { $0 == 0 ? 0 : needs[$0 - 1].place.upperBound } ?? answers.bytes.count
        try send(through: end)
    }

    private mutating func send(through end: Int) throws {
        if end == 0 { return }
        let (bytes, sent) = (answers.bytes, needs.filter { $0.place.upperBound <= end })
        answers.removeFirst(end)
        needs.removeAll()
        let store = store
        // If another process was faster, the answers from there on are about rows that never were in the log.
        let firstMoved = sent.firstIndex { need in
            guard let made = need.commit.map({ store.successor(of: $0) }) else { return false }
            return made.checksum != need.commit?.checksum || made.version != need.rows.version
        }
        if let last = sent[..<(firstMoved ?? sent.endIndex)].last { sentRows = last.rows }
        guard let firstMoved else { return try send(Array(bytes[..<end])) }
        var lines = JSONWriter()
        var next = 0
        do {
            for need in sent[firstMoved...] {
                lines.append(bytes[next..<need.place.lowerBound])
                try writeAgain(need, to: &lines)
                next = need.place.upperBound
            }
            rows = sentRows
            lines.append(bytes[next..<end])
        } catch {
            try send(lines.bytes)
            throw error
        }
        try send(lines.bytes)
    }

    /// Writes an answer about a commit that was made again, because another process had committed first.
    private mutating func writeAgain(_ need: Need, to lines: inout JSONWriter) throws {
        let (before, commit) = (sentRows, need.commit.map { store.successor(of: $0) })
        if let commit { sentRows = try store.snapshot(at: commit.version) }
        var error = need.error
        if let reason = try commit?.annotations().first(where: { $0.name == CommitAnnotation.lostRace }) {
            rejectedCount += 1
            let text = "another process committed first, and nothing is left of the edit: "
            error = RequestError(.lostRace, text + String(decoding: reason.value, as: UTF8.self))
        }
        write(since: before, sentRows, need.conflicts, error, to: &lines)
    }
}
