// Tests each rule of who may ask, and that everything else stays as it should be.
//
// Each refused request differs from one that succeeds in one thing only, so a rule that is missing is seen.

import Foundation
import Hummingbird
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

@Suite("Who may ask")
struct AccessTests {
    private let folder: TemporaryFolder
    private let store: UntypedStore

    init() throws {
        folder = try TemporaryFolder.inMemory()
        store = try RandomList.store(in: folder, seed: 1, edits: 20)
    }

    /// Fields, some of them replaced; one that ends with ": -" is left out.
    private func fields(_ fields: [String], _ replaced: [String], _ port: Int) -> [String] {
        let names = replaced.map { $0.prefix { $0 != ":" } }
        return fields.filter { !names.contains($0.prefix { $0 != ":" }) }
            + replaced.filter { !$0.hasSuffix(": -") }.map { $0.replacingOccurrences(of: "PORT", with: "\(port)") }
    }

    private static let toggle = #"{"undo":1}"#

    @Test("Each request that breaks a rule gets its status and a reason, and changes nothing")
    func refused() async throws {
        try await inspecting(store, allowsWriting: true) { _, browser in
            let other = String(repeating: "0", count: 32)
            let name = browser.cookie.prefix { $0 != "=" }
            let session = browser.cookie.drop { $0 != "=" }.dropFirst()
            let requests: [(line: String, fields: [String], status: Int, code: String)] = [
                // Host
                ("GET /api/state", ["Host: evil.example"], 421, "host"),
                ("GET /api/state", ["Host: evil.example:PORT"], 421, "host"),
                ("GET /api/state", ["Host: 127.0.0.1"], 421, "host"),
                ("GET /api/state", ["Host: 127.0.0.1:PORT.evil.example"], 421, "host"),
                ("GET /api/state", ["Host: 127.0.0.1:1"], 421, "host"),
                ("GET /", ["Host: evil.example:PORT"], 421, "host"),
                ("GET /page.js", ["Host: evil.example:PORT"], 421, "host"),
                ("GET /open?token=\(other)", ["Host: evil.example:PORT"], 421, "host"),
                ("POST /api/exec", ["Host: evil.example:PORT"], 421, "host"),
                ("GET /api/state", ["Host: -"], 400, "host"),
                ("GET /api/state", ["Host: 127.0.0.1:PORT", "Host: evil.example"], 400, "host"),
                // Origin
                ("GET /api/state", ["Origin: http://evil.example"], 403, "origin"),
                ("GET /api/state", ["Origin: null"], 403, "origin"),
                ("GET /api/state", ["Origin: http://127.0.0.1:1"], 403, "origin"),
                ("GET /api/state", ["Origin: https://127.0.0.1:PORT"], 403, "origin"),
                ("GET /api/state", ["Origin: http://localhost:PORT"], 403, "origin"),
                ("GET /", ["Origin: http://evil.example"], 403, "origin"),
                ("GET /api/state", ["Sec-Fetch-Site: cross-site"], 403, "origin"),
                ("GET /api/state", ["Sec-Fetch-Site: same-site"], 403, "origin"),
                ("POST /api/exec", ["Origin: -"], 403, "origin"),
                ("POST /api/exec", ["Origin: http://evil.example"], 403, "origin"),
                ("POST /api/exec", ["Sec-Fetch-Site: none"], 403, "origin"),
                // Cookie
                ("GET /api/state", ["Cookie: -"], 401, "cookie"),
                ("GET /api/rows", ["Cookie: \(name)=\(other)"], 401, "cookie"),
                ("GET /api/rows", ["Cookie: \(name)=\(session.dropLast())"], 401, "cookie"),
                ("GET /api/rows", ["Cookie: \(name)=\(session)0"], 401, "cookie"),
                ("GET /api/rows", ["Cookie: \(name)="], 401, "cookie"),
                ("GET /api/rows", ["Cookie: listory=\(session)"], 401, "cookie"),
                ("GET /api/events", ["Cookie: -"], 401, "cookie"),
                ("GET /api/export?format=store", ["Cookie: -"], 401, "cookie"),
                ("POST /api/exec", ["Cookie: -"], 401, "cookie"),
                // Writing
                ("POST /api/exec", ["X-Listory-Token: -"], 403, "token"),
                ("POST /api/exec", ["X-Listory-Token: \(other)"], 403, "token"),
                ("POST /api/exec", ["X-Listory-Token: \(session)"], 403, "token"),
                ("POST /api/exec", ["Content-Type: -"], 415, "contentType"),
                ("POST /api/exec", ["Content-Type: text/plain"], 415, "contentType"),
                ("POST /api/exec", ["Content-Type: application/x-www-form-urlencoded"], 415, "contentType"),
                // Paths
                ("GET /../../etc/passwd", [], 404, "path"), ("GET /page.html", [], 404, "path"),
                ("GET /%2e%2e/page.js", [], 404, "path"), ("GET //page.js", [], 404, "path"),
                ("GET /page.js/", [], 404, "path"), ("GET /api", [], 404, "path"),
                ("POST /api/state", [], 405, "method"), ("PUT /api/exec", [], 405, "method"),
                ("GET /api/exec", [], 405, "method"), ("POST /", [], 405, "method"),
                ("POST /open?token=\(other)", [], 405, "method"), ("OPTIONS /api/exec", [], 405, "method"),
            ]
            let version = try store.version
            for request in requests {
                let line =
                    request.line.contains("/open")
                    ? request.line : request.line.replacingOccurrences(of: " /", with: " \(browser.prefix)/")
                let isWriting = !request.line.hasPrefix("GET")
                let known = isWriting ? try browser.writing() : browser.fields
                let answer = try Browser.request(
                    browser.port, line, fields(known, request.fields, browser.port),
                    isWriting ? Self.toggle : "")
                #expect(answer.status == request.status && answer.errorCode == request.code, "\(request): \(answer)")
                #expect(answer.fields["content-type"] == "application/json; charset=utf-8")
            }
            #expect(try store.version == version)
            // Controls: the same requests as they should be.
            #expect(try browser.ask("/api/state").status == 200)
            let local = fields(
                try browser.writing(), ["Host: localhost:PORT", "Origin: http://localhost:PORT"], browser.port)
            let post = "POST \(browser.prefix)/api/exec"
            #expect(try Browser.request(browser.port, post, local, Self.toggle).status == 200)
            #expect(try browser.exec(Self.toggle).status == 200)
            let typed = fields(browser.fields, ["Sec-Fetch-Site: none"], browser.port)
            #expect(try Browser.request(browser.port, "GET \(browser.prefix)/api/state", typed).status == 200)
            #expect(try store.version.rawValue == version.rawValue + 2)
        }
    }

    @Test("On port 80, which browsers leave out, the names of this server are also those without a port")
    func usualPort() throws {
        let check = RequestCheck(access: Access(), limits: Limits())
        func ask(_ host: String, _ port: Int) throws {
            let head = HTTPRequest(
                method: .post, scheme: "http", authority: host, path: "/", headerFields: [.origin: "http://\(host)"])
            try check.checkSource(Request(head: head, body: RequestBody(buffer: ByteBuffer(string: ""))), port: port)
        }
        for host in ["127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"] { try ask(host, 80) }
        for (host, port) in [("127.0.0.1", 8080), ("localhost", 8080), ("localhost:8080", 80), ("evil.example", 80)] {
            #expect(throws: Failure.self, "\(host), \(port)") { try ask(host, port) }
        }
    }

    @Test("Outside of the path of the cookie there is nothing")
    func outside() async throws {
        try await inspecting(store) { _, browser in
            let (prefix, other) = (browser.prefix, String(repeating: "0", count: 32))
            for path in [
                "/", "/page.js", "/api/state", "//api/state", "/\(other)/", "/\(other)/api/state", prefix,
                "\(prefix.dropLast())/api/state", "\(prefix)0/api/state", "/\(prefix)/api/state",
                "\(prefix)/open?token=x",
            ] {
                let answer = try Browser.request(browser.port, "GET \(path)", browser.fields)
                #expect(answer.status == 404 && answer.errorCode == "path", "\(path): \(answer)")
            }
            for path in ["/", "/page.js", "/api/state"] { #expect(try browser.ask(path).status == 200, "\(path)") }
        }
    }

    @Test("Every answer forbids to load from elsewhere, to be framed, guessed at, kept, or read by another origin")
    func protection() async throws {
        try await inspecting(store, allowsWriting: true) { _, browser in
            let answers = try [
                browser.ask("/"), browser.ask("/page.js"), browser.ask("/api/state"), browser.ask("/api/nothing"),
                browser.ask("/api/export?format=store"), browser.exec("{"), browser.exec(Self.toggle),
                Browser.request(browser.port, "GET /", ["Host: evil.example"]),
                Browser.request(browser.port, "GET /open?token=x", browser.fields),
            ]
            for answer in answers {
                let policy = Set(
                    (answer.fields["content-security-policy"] ?? "").split(separator: ";").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    })
                #expect(
                    policy == [
                        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                        "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
                    ])
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                #expect(answer.fields["referrer-policy"] == "no-referrer")
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
                #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control") })
            }
            #expect(answers[0].fields["content-type"] == "text/html; charset=utf-8")
            #expect(answers[1].fields["content-type"] == "text/javascript; charset=utf-8")
        }
    }

    @Test("The launch link works once, and gives a cookie that no script reads, and no other site or server receives")
    func launchLink() async throws {
        try await inspecting(store, allowsWriting: true) { inspector, _ in
            let link = try #require(inspector.link())
            let (port, path) = (try #require(link.port), "\(link.path)?\(link.query ?? "")")
            let host = ["Host: 127.0.0.1:\(port)"]
            let wrong = String(path.dropLast()) + (path.hasSuffix("0") ? "1" : "0")
            #expect(try Browser.request(port, "GET \(wrong)", host).errorCode == "link")
            #expect(try Browser.request(port, "GET /open", host).status == 400)
            let first = try Browser.request(port, "GET \(path)", host)
            let page = try #require(first.fields["location"])
            #expect(first.status == 303 && page.wholeMatch(of: /\/[0-9a-f]{32}\//) != nil)
            let cookie = try #require(first.fields["set-cookie"]).components(separatedBy: "; ")
            #expect(Set(cookie.dropFirst()) == ["Path=\(page)", "HttpOnly", "SameSite=Strict"])
            #expect(cookie[0].wholeMatch(of: /listory-inspector=[0-9a-f]{32}/) != nil)
            // None of them tells another one.
            #expect(Set([page.dropFirst().dropLast(), cookie[0].suffix(32), path.suffix(32)]).count == 3)
            let second = try Browser.request(port, "GET \(path)", host)
            #expect(second.status == 401 && second.errorCode == "link" && second.fields["set-cookie"] == nil)
            // A browser that was closed has no cookie any more, and its link was used.
            let forgotten = try Browser.request(port, "GET \(page)api/state", host)
            for answer in [second, forgotten] { #expect(answer.text.contains("start the inspector again")) }
            // Each link is another one.
            #expect(inspector.link() != inspector.link())
        }
    }

    @Test("Secrets have 128 bits, are all different, and are compared to the end")
    func secrets() {
        let secrets = (0..<1000).map { _ in Access().session }
        #expect(Set(secrets).count == 1000)
        #expect(secrets.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
        // Each digit takes all values.
        for place in 0..<32 { #expect(Set(secrets.map { Array($0)[place] }).count == 16) }
        let secret = secrets[0]
        #expect(Access.isEqual(secret, secret))
        for text in ["", "0", String(secret.dropLast()), secret + "0", secret.uppercased() + "0", secret + secret] {
            #expect(!Access.isEqual(secret, text))
        }
        for index in 0..<32 {
            var digits = Array(secret)
            digits[index] = digits[index] == "0" ? "1" : "0"
            #expect(!Access.isEqual(secret, String(digits)))
        }
        // A link that is not used is forgotten after some others.
        let access = Access()
        let first = access.newLink()
        let others = (0..<16).map { _ in access.newLink() }
        #expect(!access.useLink(first) && others.allSatisfy(access.useLink) && !access.useLink(others[0]))
    }

    @Test("No secret is compared in another way")
    func comparisons() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/ListoryInspector/Server").standardized
        var found = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for line in text.split(separator: "\n") where line.contains("access.") || line.contains("Access.isEqual") {
                #expect(!line.contains("==") && !line.contains("!=") && !line.contains("contains("), "\(name): \(line)")
                if line.contains("Access.isEqual(") { found += 1 }
            }
        }
        #expect(found == 4)
    }

    @Test("Without permission to write there is no token, and nothing is written")
    func readOnly() async throws {
        try await inspecting(store) { _, browser in
            let version = try store.version
            let answer = try browser.exec(Self.toggle)
            #expect(answer.status == 403 && answer.errorCode == "readOnly")
            #expect(try browser.get("/api/state")["token"] == nil)
            #expect(try store.version == version)
        }
    }

    @Test("Only programs on this machine can connect")
    func loopback() async throws {
        try await inspecting(store, allowsWriting: true) { _, browser in
            // Another address of loopback is one of this machine, but not ours.
            let addresses = Self.ownAddresses() + [0x7F00_0002]
            for address in addresses {
                #expect(throws: Trouble.self, "\(address)") { try Connection(port: browser.port, host: address) }
            }
            _ = try Connection(port: browser.port)
        }
    }

    /// The addresses of this machine besides those of loopback.
    private static func ownAddresses() -> [UInt32] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [UInt32] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else {
                continue
            }
            let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            if number >> 24 != 127 { found.append(number) }
        }
        return found
    }

    @Test("Heads, bodies, connections and streams have limits, and so has the time that a request takes")
    func limits() async throws {
        var limits = Limits()
        (limits.bodyBytes, limits.bodyTime, limits.idleSeconds) = (10_000, .milliseconds(300), 1)
        try await inspecting(store, allowsWriting: true, limits: limits) { _, browser in
            let long = try browser.exec(#"{"begin":"\#(String(repeating: "x", count: 20_000))"}"#)
            #expect(long.status == 413 && long.errorCode == "tooLarge")
            // Each of these differs in one thing from one that is answered.
            let host = "GET \(browser.prefix)/ HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n"
            func fields(_ count: Int, _ length: Int) -> String {
                (0..<count).map { "X\($0): \(String(repeating: "x", count: length))\r\n" }.joined()
            }
            for (text, isAnswered) in [
                (host, true), (host + fields(1, 7000), true), (host + fields(1, 9000), false),
                (host + fields(4, 3000), true),
                (host + fields(6, 3000), false), (host + fields(50, 1), true), (host + fields(70, 1), false),
                ("\0" + host, false),
            ] {
                let connection = try Connection(port: browser.port)
                connection.send(text + "\r\n")
                let status = try? connection.readHead().status
                #expect(
                    isAnswered ? status == 200 : status.map { $0 >= 400 } ?? connection.hasEnded, "\(text.prefix(80))")
            }
            // A body that does not arrive.
            let slow = try Connection(port: browser.port)
            let head = ["POST \(browser.prefix)/api/exec HTTP/1.1"] + (try browser.writing()) + ["Content-Length: 100"]
            slow.send(head.joined(separator: "\r\n") + "\r\n\r\n{")
            let answer = try slow.readAnswer()
            #expect(answer.status == 408 && answer.errorCode == "tooSlow")
            // A head that does not arrive, and a connection without a request: the server closes them.
            for text in ["GET / HTTP/1.1\r\nHost: ", ""] {
                let connection = try Connection(port: browser.port)
                connection.send(text)
                while connection.readLine() != nil {}
                #expect(connection.hasEnded)
            }
        }
        limits = Limits()
        (limits.connections, limits.streams) = (12, 3)
        try await inspecting(store, allowsWriting: true, limits: limits) { _, browser in
            // With the usual limit it stays open.
            let idle = try Connection(port: browser.port, seconds: 2)
            #expect(idle.readLine() == nil && !idle.hasEnded)
            // Streams, and the place of one that leaves.
            var listeners = try (0..<3).map { _ in try browser.listen() }
            let refused = try browser.ask("/api/events")
            #expect(refused.status == 503 && refused.errorCode == "tooMany")
            listeners.removeLast()
            // The server sees the end of the connection a moment later.
            for attempt in 0... {
                guard let listener = try? browser.listen() else {
                    try #require(attempt < 1000)
                    Thread.sleep(forTimeInterval: 0.01)
                    continue
                }
                listeners.append(listener)
                break
            }
            // With three that listen and an idle one, eight others make twelve. One more is answered only when another has ended.
            func asking() throws -> Connection {
                let connection = try Connection(port: browser.port)
                connection.send("GET \(browser.prefix)/ HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
                return connection
            }
            var others = try (0..<8).map { _ in try asking() }
            for other in others { #expect(try other.readHead().status == 200) }
            let waiting = try asking()
            waiting.wait(2)
            #expect(waiting.readLine() == nil && !waiting.hasEnded)
            waiting.wait(60)
            others.removeLast()
            #expect(try waiting.readHead().status == 200)
            withExtendedLifetime((idle, listeners, others)) {}
        }
    }
}
