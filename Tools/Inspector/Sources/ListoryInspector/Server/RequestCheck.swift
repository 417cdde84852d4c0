// Which requests are answered at all: those of our own page, in a browser that was given the launch link.
//
// Every page that a browser on this machine shows can send requests to a port of loopback. So:
// - The host is a name of loopback, with our port. Otherwise another site could give its own name our address ("DNS
//   rebinding") and read the answers.
// - The origin is our own. A browser sends the origin with every POST, and no page can forge it.
// - A request for something of the store has the cookie, which no other site can make a browser send, no page can read,
//   and no other server of this machine receives, because the path of the cookie is a secret too.
// - A request to write has a token besides, in a field that no form can send, and its body is JSON.
//
// Always holds: no field that another origin would need to read an answer is ever sent.

import Foundation
import Hummingbird

/// Checks requests.
struct RequestCheck: Sendable {
    let access: Access
    let limits: Limits

    /// The field of the token of requests to write.
    static let token = "X-Listory-Token"

    /// The name of the cookie.
    static let cookieName = "listory-inspector"

    /// What a browser needs that has no cookie. It may have had one before it was closed: then its link was used.
    static let needsLink = "Open a link of the inspector. Each works once: start the inspector again for another one."

    /// Checks that a request was meant for this server, and comes from its page or from the user.
    ///
    /// - Throws: ``Failure`` with 400, 403 or 421.
    func checkSource(_ request: Request, port: Int) throws(Failure) {
        // A second field of this name would stay among the others.
        guard let host = request.head.authority, request.headers[fields: .init("Host")!].isEmpty else {
            throw Failure(.badRequest, "host", "A request has exactly one Host.")
        }
        guard Self.names(port).contains(host.lowercased()) else {
            throw Failure(.misdirectedRequest, "host", "This server does not answer for the host of the request.")
        }
        let isWriting = request.method != .get
        let origins = request.headers[values: .origin]
        let sites = request.headers[values: .init("Sec-Fetch-Site")!]
        guard origins.allSatisfy({ $0 == "http://\(host.lowercased())" }), !isWriting || origins.count == 1,
            sites.allSatisfy({ $0 == "same-origin" || ($0 == "none" && !isWriting) })
        else {
            throw Failure(.forbidden, "origin", "The request does not come from the page of this server.")
        }
    }

    /// The names of this server. Browsers leave out the port 80.
    private static func names(_ port: Int) -> Set<String> {
        var names: Set = ["127.0.0.1:\(port)", "localhost:\(port)"]
        if port == 80 { names.formUnion(["127.0.0.1", "localhost"]) }
        return names
    }

    /// The path of a request below that of the cookie, with its first slash.
    ///
    /// - Throws: ``Failure`` with 404.
    func path(of request: Request) throws(Failure) -> String {
        let path = request.uri.path.dropFirst()
        let prefix = path.prefix { $0 != "/" }
        guard Access.isEqual(access.prefix, String(prefix)) else {
            throw Failure(.notFound, "path", Self.needsLink)
        }
        return String(path.dropFirst(prefix.count))
    }

    /// Checks that the browser was given the launch link.
    ///
    /// - Throws: ``Failure`` with 401.
    func checkCookie(_ request: Request) throws(Failure) {
        let cookie = request.cookies[Self.cookieName]?.value ?? ""
        guard Access.isEqual(access.session, cookie) else {
            throw Failure(.unauthorized, "cookie", Self.needsLink)
        }
    }

    /// Checks that a request may write.
    ///
    /// - Throws: ``Failure`` with 403 or 415.
    func checkWriting(_ request: Request, isAllowed: Bool) throws(Failure) {
        guard isAllowed else {
            throw Failure(.forbidden, "readOnly", "The store is only shown: start the inspector with --allow-write.")
        }
        guard Access.isEqual(access.writing, request.headers[.init(Self.token)!] ?? "") else {
            throw Failure(.forbidden, "token", "The token of the page is missing or wrong.")
        }
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() == "application/json" else {
            throw Failure(.unsupportedMediaType, "contentType", "A request to write is application/json.")
        }
    }

    /// The body of a request.
    ///
    /// - Throws: ``Failure`` with 408 or 413.
    func body(of request: Request) async throws -> [UInt8] {
        let (most, time) = (limits.bodyBytes, limits.bodyTime)
        let body = request.body
        return try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await part in body {
                    guard bytes.count + part.readableBytes <= most else {
                        throw Failure(.contentTooLarge, "tooLarge", "A request has at most \(most) bytes.")
                    }
                    bytes += part.readableBytesView
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(for: time)
                throw Failure(.requestTimeout, "tooSlow", "A request arrives within \(time).")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}
