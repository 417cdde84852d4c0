// A browser as far as the server can see: it opens the launch link, keeps the cookie, and asks.
//
// Always holds: each request has a connection of its own.

import Foundation
import ToolSupport

/// A browser that was given the launch link.
struct Browser: Sendable {
    let port: Int
    /// What the paths of the page begin with.
    let prefix: String
    let cookie: String

    /// Opens a launch link.
    init(_ link: String) throws {
        guard let url = URL(string: link), let port = url.port else { throw Trouble(description: "no link: \(link)") }
        self.port = port
        let answer = try Browser.request(port, "GET \(url.path)?\(url.query ?? "")", ["Host: 127.0.0.1:\(port)"])
        guard answer.status == 303, let page = answer.fields["location"],
            let cookie = answer.fields["set-cookie"]?.split(separator: ";").first
        else {
            throw Trouble(description: "the link does not open the page: \(answer)")
        }
        (prefix, self.cookie) = (String(page.dropLast()), String(cookie))
    }

    /// The fields of a request from the page.
    var fields: [String] {
        ["Host: 127.0.0.1:\(port)", "Sec-Fetch-Site: same-origin", "Cookie: other=1; \(cookie)"]
    }

    /// Asks for an answer, which has to succeed.
    func get(_ path: String) throws -> JSONValue {
        let answer = try ask(path)
        guard answer.status == 200 else { throw Trouble(description: "GET \(path): \(answer)") }
        return try answer.json
    }

    /// Asks for an answer of any status.
    func ask(_ path: String) throws -> Answer { try Browser.request(port, "GET \(prefix)\(path)", fields) }

    /// The fields of a request to write.
    func writing() throws -> [String] {
        let token = try get("/api/state")["token"]?.text ?? ""
        return fields + [
            "Origin: http://127.0.0.1:\(port)", "Content-Type: application/json", "X-Listory-Token: \(token)",
        ]
    }

    /// Sends a request of `exec`.
    func exec(_ line: String) throws -> Answer {
        try Browser.request(port, "POST \(prefix)/api/exec", writing(), line)
    }

    /// Sends a request over a connection of its own.
    static func request(_ port: Int, _ line: String, _ fields: [String], _ body: String = "") throws -> Answer {
        let connection = try Connection(port: port)
        let head = ["\(line) HTTP/1.1"] + fields + ["Connection: close", "Content-Length: \(body.utf8.count)"]
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try connection.readAnswer()
    }

    /// Listens to new versions.
    func listen() throws -> Listener { try Listener(self) }
}

/// The stream of new versions, read as the test asks for them.
final class Listener {
    private let connection: Connection
    private var text = ""

    fileprivate init(_ browser: Browser) throws {
        connection = try Connection(port: browser.port)
        let head = ["GET \(browser.prefix)/api/events HTTP/1.1"] + browser.fields
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        let (status, fields) = try connection.readHead()
        guard status == 200, fields["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw Trouble(description: "GET /api/events: \(status)")
        }
    }

    /// The next event; nil at the end.
    func next() throws -> (kind: String, data: JSONValue)? {
        while true {
            if let end = text.range(of: "\n\n") {
                var (kind, data) = ("", JSONValue.null)
                for line in text[..<end.lowerBound].split(separator: "\n") {
                    if line.hasPrefix("event: ") { kind = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { data = try JSONValue(parsing: line.dropFirst(6).utf8) }
                }
                text.removeSubrange(..<end.upperBound)
                return (kind, data)
            }
            guard let part = connection.readChunk() else { return nil }
            text += String(decoding: part, as: UTF8.self)
        }
    }

    /// Reads until an event tells a version.
    func wait(for version: Int) throws {
        while let event = try next() {
            if let found = event.data["version"]?.number, found >= version { return }
        }
        throw Trouble(description: "the stream ended before version \(version)")
    }
}
