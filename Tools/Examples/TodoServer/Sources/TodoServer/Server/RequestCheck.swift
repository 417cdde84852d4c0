// Which requests are answered at all: those of our own page, on this machine.
//
// A server on loopback can be reached by every page that a browser on this machine shows. So a request has to prove that
// it comes from our own page:
// - The host is a name of loopback. Otherwise another site could give its own name our address ("DNS rebinding").
// - The origin of an edit is our own page. A browser sends the origin with every POST, and no page can forge it.
// - An edit is JSON, which no form of another site can send.
//
// Always holds: no header that another origin would need to read an answer is ever sent.

import Foundation
import Hummingbird

/// Checks requests.
enum RequestCheck {
    /// The largest request for an edit, in bytes.
    static let maximumBodySize = 16 << 10
    /// The most characters of a title.
    static let maximumTitleLength = 500
    /// The cookie that tells browsers apart. A page cannot read it, and other sites cannot make a browser send it.
    static let cookie = "todo-browser"

    /// Checks that a request was meant for this server.
    ///
    /// - Parameter port: the port of the server.
    /// - Throws: ``Failure`` with 400 or 421.
    static func checkHost(_ request: Request, port: Int?) throws(Failure) {
        // A second field of this name would stay among the others.
        guard let host = request.head.authority, request.headers[fields: .init("Host")!].isEmpty else {
            throw Failure(status: .badRequest, code: "host", message: "A request has exactly one Host.")
        }
        guard let port, names(port).contains(host.lowercased()) else {
            throw Failure(
                status: .misdirectedRequest, code: "host",
                message: "This server does not answer for the host of the request.")
        }
    }

    /// Checks that a request comes from our own page, or was typed by the user.
    ///
    /// - Parameter isEdit: whether it may change the list; then it has to say where it comes from.
    /// - Throws: ``Failure`` with 403.
    static func checkOrigin(_ request: Request, isEdit: Bool) throws(Failure) {
        let origin = request.headers[.origin]
        let site = request.headers[.init("Sec-Fetch-Site")!]
        let isOwn = origin.map { $0 == "http://\(request.head.authority ?? "")" } ?? !isEdit
        guard isOwn, site == nil || site == "same-origin" || (site == "none" && !isEdit) else {
            throw Failure(
                status: .forbidden, code: "origin", message: "The request does not come from the page of this server.")
        }
    }

    /// The browser that sends a request; nil if it has not loaded the page yet.
    static func browser(_ request: Request) -> String? {
        request.cookies[cookie].flatMap { UUID(uuidString: $0.value)?.uuidString }
    }

    /// A title without the space around it.
    ///
    /// - Throws: ``Failure`` with 422.
    static func title(_ text: String) throws(Failure) -> String {
        let title = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let isPrintable = title.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !title.isEmpty, title.count <= maximumTitleLength, isPrintable else {
            throw Failure(
                status: .unprocessableContent, code: "title",
                message: "A title has 1 to \(maximumTitleLength) characters, and no control characters.")
        }
        return title
    }

    /// The body of a request for an edit.
    ///
    /// - Throws: ``Failure`` with 400, 413 or 415.
    static func body<Body: Decodable>(of request: Request, as type: Body.Type) async throws -> Body {
        let kind = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard kind?.lowercased() == "application/json" else {
            throw Failure(
                status: .unsupportedMediaType, code: "contentType", message: "An edit is sent as application/json.")
        }
        var data = Data()
        for try await part in request.body {
            guard data.count + part.readableBytes <= maximumBodySize else {
                throw Failure(
                    status: .contentTooLarge, code: "tooLarge",
                    message: "An edit has at most \(maximumBodySize) bytes.")
            }
            data.append(contentsOf: part.readableBytesView)
        }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw Failure(
                status: .badRequest, code: "json", message: "The body is not what this request takes: \(error)")
        }
    }

    /// The names of this server.
    private static func names(_ port: Int) -> Set<String> {
        var names: Set = ["127.0.0.1:\(port)", "localhost:\(port)"]
        if port == 80 { names.formUnion(["127.0.0.1", "localhost"]) }
        return names
    }
}
