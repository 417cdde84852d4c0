// Makes a store of what `export` printed: the same commits, with their names, times, origins and places in the history, and
// the same rows at every version.
//
// Always holds: there is a store only if every line was read, every event fitted the rows, and the rows had the hash of
// each commit and of the end.

import ListModel
import Listory

/// Imports a log.
public struct LogImport {
    /// The number of the format. It changes if what was written before is read in another way.
    static let format = 1
    private let lines: InputLines
    private let lineCount: Int

    /// Reads an input.
    ///
    /// - Parameter path: a file, or `-` for standard input.
    /// - Throws: ``ToolError`` if it cannot be read, ``ImportError`` if it is no text.
    public init(path: String) throws { try self.init(ImportInput(path: path)) }

    /// Reads an input.
    ///
    /// - Throws: ``ImportError`` if it is no text.
    init(_ input: ImportInput) throws {
        lines = try InputLines(input.bytes)
        lineCount = input.bytes.count { $0 == UInt8(ascii: "\n") }
    }

    /// Makes the store.
    ///
    /// - Parameters:
    ///   - path: a file that does not exist.
    ///   - progress: called now and then with the share that is done, 0 to 1.
    /// - Throws: ``ImportError`` that names the line; `ListError` if there is a file, or it cannot be written.
    public func write(to path: String, progress: (Double) -> Void = { _ in }) throws -> StoreVerification {
        try StoreTranscriber.write(to: path) { store in
            var iterator = lines.makeIterator()
            let header = try next(&iterator)
            let log = try header.located { try LogImport.begin(&store, header.object("listory")) }
            var hash = log.hash
            while store.version < log.newest {
                let line = try next(&iterator)
                try line.located {
                    let (transcript, eventCount) = try CommitTranscript.parsed(line.object("commit"))
                    var events: [ListEvent] = []
                    for _ in 0..<eventCount {
                        let line = try next(&iterator)
                        try line.located { events.append(try ListEvent(line.value) { store.content($0) }) }
                    }
                    try store.append(transcript, events)
                    hash = transcript.stateHash
                }
                if store.version.rawValue % 1_024 == 0 { progress(Double(line.number) / Double(lineCount)) }
            }
            let end = try next(&iterator)
            try end.located { try LogImport.check(end: end.object("end"), store.version, hash) }
            if let more = iterator.next(where: { !$0.text.allSatisfy(\.isWhitespace) }) {
                throw ImportError(line: more.number, expected: "the end of the input", found: "more")
            }
        }
    }

    private func next(_ iterator: inout IndexingIterator<[InputLines.Element]>) throws -> Line {
        guard let (number, text) = iterator.next() else {
            throw ImportError("expected a line that says where the log ends, found the end of the input")
        }
        return try Line(number, text)
    }

    /// Checks that the log has led to what its last line says.
    private static func check(end value: JSONValue, _ version: Version, _ hash: StateHash) throws {
        let fields = try RequestFields(value, "end", expected: "version", "hash")
        let end: [(String, JSONValue)] = [
            ("version", .integer(Int64(version.rawValue))), ("hash", .string(hash.description)),
        ]
        for (field, expected) in end {
            let text = JSONValue.text(of: expected)
            let found = try fields.value(field, expected: text)
            if found != expected { throw RequestError.field(fields.path(field), expected: text, found: found) }
        }
    }

    /// Reads the first line, and returns the newest version, and the hash of the rows before the first commit.
    private static func begin(
        _ store: inout StoreTranscriber, _ value: JSONValue
    ) throws -> (newest: Version, hash: StateHash) {
        let fields = try RequestFields(value, "listory", expected: "format", "version", "base")
        let format = try fields.index("format")
        guard format == LogImport.format else {
            throw RequestError.field(
                fields.path("format"), expected: "\(LogImport.format)", found: .integer(Int64(format)))
        }
        let newest = try fields.version("version")
        guard fields.has("base") else { return (newest, UntypedSnapshot.empty.stateHash) }
        let base = try RequestFields(
            fields.value("base", expected: "an object"), fields.path("base"), expected: "version", "histories",
            "sections")
        let histories = try base.array("histories", of: "histories").map { value in
            let history = try RequestFields(value, base.path("histories"), expected: "origin", "numbers")
            return HistoryTranscript(
                origin: history.has("origin") ? try history.text("origin") : nil,
                numbers: try history.numbers("numbers"))
        }
        let sections = try base.sections("sections") { store.content($0) }
        try store.begin(at: base.version("version"), sections, histories: histories)
        let rows = try UntypedSnapshot.empty.applying([ListEvent.listReloaded(old: [], new: sections)])
        return (newest, rows.stateHash)
    }

    /// A line, and its value.
    private struct Line {
        let number: Int
        let value: JSONValue

        init(_ number: Int, _ text: String) throws {
            self.number = number
            do { value = try JSONValue(parsing: text.utf8) } catch {
                throw ImportError("line \(number): expected JSON: \(error)")
            }
        }

        /// The value of the only member.
        func object(_ name: String) throws -> JSONValue {
            guard let members = value.members, members.count == 1, let object = members[name] else {
                throw RequestError.field(name, expected: "an object with this member", found: value)
            }
            return object
        }

        /// Calls `body`. An error in what was read names the line.
        func located<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as RequestError {
                throw ImportError("line \(number): \(error)")
            } catch let error as ListError where error.isMismatch {
                throw ImportError("line \(number): \(error)")
            }
        }
    }
}

extension StoreTranscriber {
    /// A content that a row gets in the next commit.
    fileprivate mutating func content(_ value: JSONValue) -> ContentReference {
        let erased = RowContent.erased(value).flatMap { erasedContent(length: $0.length, hash: $0.hash) }
        return erased ?? content(RowContent.bytes(value))
    }
}

extension ListError {
    /// Whether events do not fit the rows, or a commit does not follow the one before.
    fileprivate var isMismatch: Bool { isRejection || code == "eventMismatch" }
}

extension IteratorProtocol {
    fileprivate mutating func next(where isWanted: (Element) -> Bool) -> Element? {
        while let element = next() { if isWanted(element) { return element } }
        return nil
    }
}

extension RequestFields {
    fileprivate func version(_ field: String) throws -> Version {
        let number = try index(field)
        guard number >= 0 else {
            throw RequestError.field(path(field), expected: "a version", found: .integer(Int64(number)))
        }
        return Version(UInt64(number))
    }

    fileprivate func numbers(_ field: String) throws -> [UInt64] {
        try array(field, of: "numbers").map { value in
            guard case .integer(let number) = value, number >= 0 else {
                throw RequestError.field(path(field), expected: "numbers from 0 on", found: value)
            }
            return UInt64(number)
        }
    }
}

extension CommitTranscript {
    /// A commit from its line, and how many lines of events follow.
    fileprivate static func parsed(_ value: JSONValue) throws -> (CommitTranscript, eventCount: Int) {
        let fields = try RequestFields(
            value, "commit", expected: "version", "time", "cause", "of", "to", "name", "origin", "continuesStep",
            "tracking", "discardable", "hash", "place", "events")
        func flag(_ field: String) throws -> Bool { try fields.has(field) && fields.bool(field) }
        guard let hash = UInt64(try fields.text("hash"), radix: 16) else {
            throw RequestError.field(fields.path("hash"), expected: "hexadecimal digits", found: .null)
        }
        let transcript = CommitTranscript(
            version: try fields.version("version"), cause: try cause(fields), name: try fields.text("name"),
            origin: try fields.text("origin"), time: try time(fields), tracking: try tracking(fields),
            isDiscardable: try flag("discardable"), continuesStep: try flag("continuesStep"),
            place: try fields.numbers("place"), stateHash: StateHash(rawValue: hash))
        let count = try fields.index("events")
        guard count >= 0 else {
            throw RequestError.field(fields.path("events"), expected: "at least 0", found: .integer(Int64(count)))
        }
        return (transcript, count)
    }

    private static func cause(_ fields: RequestFields) throws -> Commit.Cause {
        switch try fields.text("cause") {
        case "edit": return .edit
        case "undo": return .undo(of: try fields.version("of"))
        case "redo": return .redo(of: try fields.version("of"))
        case "go": return .go(to: try fields.version("to"))
        case "revert": return .revert(of: try fields.version("of"))
        case "restore": return .restore(of: try fields.version("of"))
        case let other:
            throw RequestError.field(
                fields.path("cause"), expected: "edit, undo, redo, go, revert or restore", found: .string(other))
        }
    }

    private static func tracking(_ fields: RequestFields) throws -> Tracking {
        guard fields.has("tracking") else { return .shared }
        switch try fields.text("tracking") {
        case "own": return .own
        case "untracked": return .untracked
        case let other:
            throw RequestError.field(fields.path("tracking"), expected: "own or untracked", found: .string(other))
        }
    }

    private static func time(_ fields: RequestFields) throws -> Timestamp {
        let value = try fields.value("time", expected: "a time")
        if case .integer(let microseconds) = value { return Timestamp(microseconds: microseconds) }
        guard let time = value.text.flatMap(CompactionRequest.time) else {
            throw RequestError.field(fields.path("time"), expected: "a time", found: value)
        }
        return time
    }
}
