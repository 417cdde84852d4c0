// Tests which requests are refused, with which status, and that they change nothing.

import Foundation
import TestSupport
import Testing

@Suite("Refused requests", .serialized)
struct RefusalTests {
    private let folder: TemporaryFolder
    private let server: Server
    private let browser: Browser

    init() throws {
        folder = try TemporaryFolder()
        server = try Server(folder.file("todo.listory"))
        browser = try Browser(server)
    }

    /// The fields of a request from the page, some of them replaced.
    private func fields(_ replaced: [String]) -> [String] {
        let names = replaced.map { $0.prefix { $0 != ":" } }
        return browser.fields.filter { !names.contains($0.prefix { $0 != ":" }) }
            + replaced.filter { !$0.hasSuffix(": -") }.map {
                $0.replacingOccurrences(of: "PORT", with: "\(server.port)")
            }
    }

    @Test("Each gets its status and a reason as JSON, and changes nothing")
    func refused() throws {
        let milk = #"{"title":"Milk"}"#
        let id = try browser.insert("first")
        let none = UUID()
        // A field that ends with ": -" is left out.
        let requests: [(line: String, fields: [String], body: String, status: Int, code: String)] = [
            ("POST /insert", ["Host: evil.example"], milk, 421, "host"),
            ("POST /insert", ["Host: 127.0.0.1"], milk, 421, "host"),
            ("POST /insert", ["Host: 127.0.0.1:PORT.evil.example"], milk, 421, "host"),
            ("POST /insert", ["Host: -"], milk, 400, "host"),
            ("POST /insert", ["Host: 127.0.0.1:PORT", "Host: 127.0.0.1:PORT"], milk, 400, "host"),
            ("GET /events", ["Host: evil.example:PORT", "Origin: -"], "", 421, "host"),
            ("GET /", ["Host: evil.example:PORT", "Origin: -"], "", 421, "host"),
            ("GET /events", ["Origin: http://evil.example"], "", 403, "origin"),
            ("GET /events", ["Origin: -", "Sec-Fetch-Site: cross-site"], "", 403, "origin"),
            ("POST /insert", ["Origin: -"], milk, 403, "origin"),
            ("POST /insert", ["Origin: null"], milk, 403, "origin"),
            ("POST /insert", ["Origin: http://evil.example"], milk, 403, "origin"),
            ("POST /insert", ["Origin: http://localhost:PORT"], milk, 403, "origin"),
            ("POST /insert", ["Origin: https://127.0.0.1:PORT"], milk, 403, "origin"),
            ("POST /insert", ["Sec-Fetch-Site: same-site"], milk, 403, "origin"),
            ("POST /insert", ["Sec-Fetch-Site: none"], milk, 403, "origin"),
            ("POST /insert", ["Cookie: -"], milk, 403, "browser"),
            ("POST /insert", ["Cookie: todo-browser=me"], milk, 403, "browser"),
            ("POST /insert", ["Content-Type: -"], milk, 415, "contentType"),
            ("POST /insert", ["Content-Type: text/plain"], milk, 415, "contentType"),
            ("POST /insert", ["Content-Type: application/x-www-form-urlencoded"], "title=Milk", 415, "contentType"),
            ("POST /insert", [], String(repeating: " ", count: 20_000) + milk, 413, "tooLarge"),
            ("POST /insert", [], "", 400, "json"),
            ("POST /insert", [], #"{"title":7}"#, 400, "json"),
            ("POST /insert", [], #"{"title":"Milk""#, 400, "json"),
            ("POST /undo", [], "[", 400, "json"),
            ("POST /insert", [], #"{"title":"  "}"#, 422, "title"),
            ("POST /insert", [], #"{"title":"a\u0007b"}"#, 422, "title"),
            ("POST /insert", [], #"{"title":"\#(String(repeating: "x", count: 501))"}"#, 422, "title"),
            ("POST /rename", [], #"{"id":"\#(id)","title":"a\nb"}"#, 422, "title"),
            ("POST /rename", [], #"{"id":"\#(none)","title":"a"}"#, 404, "unknownItem"),
            ("POST /toggle", [], #"{"id":"\#(none)","isDone":true}"#, 404, "unknownItem"),
            ("POST /delete", [], #"{"id":"\#(none)"}"#, 404, "unknownItem"),
            ("POST /move", [], #"{"id":"\#(id)","before":"\#(none)"}"#, 404, "unknownItem"),
            ("POST /delete", [], #"{"id":"first"}"#, 400, "json"),
            ("POST /nothing", [], "{}", 404, "path"),
            ("GET /../etc/passwd", [], "", 404, "path"),
            ("GET /insert", [], "", 405, "method"),
            ("PUT /insert", [], milk, 405, "method"),
            ("POST /events", [], "{}", 405, "method"),
        ]
        let before = try browser.listen().begin().wait("the rows") { $0.id != nil }
        for request in requests {
            let answer = try Browser.request(server.port, request.line, fields(request.fields), request.body)
            #expect(answer.status == request.status && answer.errorCode == request.code, "\(request): \(answer)")
            #expect(answer.fields["content-type"] == "application/json; charset=utf-8")
            #expect(answer.fields["access-control-allow-origin"] == nil)
        }
        let after = try browser.listen().begin().wait("the rows") { $0.id != nil }
        #expect(after.id == before.id)
        // A control: the same request as it should be.
        #expect(try Browser.request(server.port, "POST /insert", fields([]), milk).status == 200)
        #expect(
            try Browser.request(
                server.port, "POST /insert", fields(["Content-Type: Application/JSON; charset=utf-8"]), milk
            ).status == 200)
        let local = fields(["Host: localhost:PORT", "Origin: http://localhost:PORT"])
        #expect(try Browser.request(server.port, "POST /insert", local, milk).status == 200)
    }

    @Test("Bytes that are not HTTP, and heads that are too large, end only their own connection")
    func foreignBytes() throws {
        for text in ["\0\u{1}\u{2}\r\n\r\n", "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n"] {
            let connection = try Connection(port: server.port)
            connection.send(text)
            let answer = try? connection.readHead()
            #expect(answer == nil || answer!.status >= 400)
        }
        try browser.insert("still there")
    }

    @Test("Only so many browsers may listen, and the place of one that leaves is free")
    func manyStreams() throws {
        var listeners = try (0..<100).map { _ in try browser.listen().begin() }
        let refused = try Browser.request(server.port, "GET /events", fields([]))
        #expect(refused.status == 503 && refused.errorCode == "tooMany")
        listeners.removeLast().close()
        // The server sees the end of the connection a moment later.
        for attempt in 0... {
            guard let listener = try? browser.listen() else {
                try #require(attempt < 1000)
                Thread.sleep(forTimeInterval: 0.01)
                continue
            }
            listeners.append(listener.begin())
            break
        }
        try browser.insert("for all")
        for listener in listeners { try listener.wait("the row") { $0.rows.count == 1 } }
    }
}
