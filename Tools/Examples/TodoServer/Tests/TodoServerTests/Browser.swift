// A browser as far as the server can see: it loads the page, sends edits, and plays the events.
//
// Always holds: the rows change only by what the events say.

import Foundation

/// A row as the page shows it.
struct Row: Codable, Equatable {
    let id: UUID
    let title: String
    let isDone: Bool
}

/// The data of an event.
struct Message: Decodable {
    struct Placed: Decodable {
        let at: Int
        let row: Row
    }
    struct Moved: Decodable {
        let from: Int
        let to: Int
    }
    struct Buttons: Decodable {
        let undo: String?
        let redo: String?
    }

    let rows: [Row]?
    let deletes: [Int]?
    let inserts: [Placed]?
    let moves: [Moved]?
    let updates: [Placed]?
    let isOwn: Bool?
    let name: String?
    let buttons: Buttons

    /// The rows after it, as the page plays it.
    func played(on old: [Row]) -> [Row] {
        guard let deletes, let inserts, let moves, let updates else { return rows ?? [] }
        var result = old
        for index in (deletes + moves.map(\.from)).sorted(by: >) { result.remove(at: index) }
        let added = inserts.map { ($0.at, $0.row) } + moves.map { ($0.to, old[$0.from]) }
        for (index, row) in added.sorted(by: { $0.0 < $1.0 }) { result.insert(row, at: index) }
        for update in updates { result[update.at] = update.row }
        return result
    }
}

/// A browser.
final class Browser {
    let port: UInt16
    let cookie: String

    /// Loads the page.
    init(_ server: Server) throws {
        port = server.port
        let answer = try Browser.request(port, "GET /", ["Host: 127.0.0.1:\(port)"])
        guard let cookie = answer.fields["set-cookie"]?.split(separator: ";").first else {
            throw Trouble(description: "the page came without a cookie")
        }
        self.cookie = String(cookie)
    }

    /// The fields of a request from the page.
    var fields: [String] {
        [
            "Host: 127.0.0.1:\(port)", "Origin: http://127.0.0.1:\(port)", "Sec-Fetch-Site: same-origin",
            "Cookie: other=1; \(cookie)", "Content-Type: application/json",
        ]
    }

    /// Sends an edit.
    @discardableResult
    func post(_ path: String, _ body: String = "{}") throws -> Answer {
        try Browser.request(port, "POST \(path)", fields, body)
    }

    /// Adds a row, and returns its id.
    @discardableResult
    func insert(_ title: String) throws -> UUID {
        let body = String(decoding: try JSONEncoder().encode(["title": title]), as: UTF8.self)
        let answer = try post("/insert", body)
        guard let id = try JSONDecoder().decode([String: UUID].self, from: Data(answer.body.utf8))["id"] else {
            throw Trouble(description: "no id in \(answer)")
        }
        return id
    }

    /// Sends a request over a connection of its own.
    static func request(_ port: UInt16, _ line: String, _ fields: [String], _ body: String = "") throws -> Answer {
        let connection = try Connection(port: port)
        let length = "Content-Length: \(body.utf8.count)"
        let head = ["\(line) HTTP/1.1"] + fields + ["Connection: close", length]
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        let (status, found) = try connection.readHead()
        let text = String(decoding: connection.read(found["content-length"].flatMap { Int($0) } ?? 0), as: UTF8.self)
        return Answer(status: status, fields: found, body: text)
    }

    /// Listens to the events, from the rows of an id on.
    ///
    /// - Parameter isInQuery: whether the page itself connects again, and not the browser.
    func listen(since id: String? = nil, isInQuery: Bool = false) throws -> Listener {
        try Listener(self, since: id, isInQuery: isInQuery)
    }
}

/// Plays the events of one connection, on a thread of its own.
final class Listener: @unchecked Sendable {
    // @unchecked Sendable: everything that changes is protected by the condition.
    private let connection: Connection
    private let condition = NSCondition()
    private var state: State

    struct State {
        var rows: [Row] = []
        /// The id of the last event.
        var id: String?
        /// The kinds and the data of the events, in order.
        var events: [(kind: String, data: String)] = []
        var buttons = Message.Buttons(undo: nil, redo: nil)
        var hasEnded = false
    }

    /// - Parameter id: what the browser heard last.
    fileprivate init(_ browser: Browser, since id: String?, isInQuery: Bool) throws {
        connection = try Connection(port: browser.port)
        state = State(id: id)
        let known = isInQuery ? [] : id.map { ["Last-Event-ID: \($0)"] } ?? []
        let query = isInQuery ? "?since=\(id ?? "")" : ""
        let head = ["GET /events\(query) HTTP/1.1"] + browser.fields.filter { !$0.hasPrefix("Origin") } + known
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        let (status, _) = try connection.readHead()
        guard status == 200 else { throw Trouble(description: "GET /events: \(status)") }
    }

    /// Begins to play the events, on these rows.
    @discardableResult
    func begin(with rows: [Row] = []) -> Listener {
        state.rows = rows
        Thread.detachNewThread { [self] in
            var (kind, id, data, text) = ("", String?.none, "", "")
            while let part = connection.readChunk() {
                text += part
                while let end = text.firstIndex(of: "\n") {
                    let line = text[..<end]
                    if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                    if line.hasPrefix("event: ") { kind = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
                    if line.isEmpty, !data.isEmpty {
                        receive(kind, id, data)
                        data = ""
                    }
                    text.removeSubrange(...end)
                }
            }
            change { $0.hasEnded = true }
        }
        return self
    }

    private func receive(_ kind: String, _ id: String?, _ data: String) {
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(data.utf8)) else { return }
        change { state in
            state.rows = message.played(on: state.rows)
            state.id = id
            state.buttons = message.buttons
            state.events.append((kind, data))
        }
    }

    private func change(_ body: (inout State) -> Void) {
        condition.lock()
        body(&state)
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until a condition holds, at most a minute, and returns the state.
    @discardableResult
    func wait(_ what: String, until isMet: (State) -> Bool) throws -> State {
        let limit = Date(timeIntervalSinceNow: 60)
        condition.lock()
        defer { condition.unlock() }
        while !isMet(state) {
            if !condition.wait(until: limit) { throw Trouble(description: "waited for \(what), and got \(state)") }
        }
        return state
    }

    /// Ends the connection.
    func close() { connection.close() }
}
