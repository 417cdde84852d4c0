// Answers requests: the page, the stream of changes, and edits.
//
// | request | answer |
// |---|---|
// | `GET /` and the files of the page | the page; the first time with a cookie that tells the browser from others |
// | `GET /events` | the rows, and then every change, as server-sent events |
// | `POST /insert` … `POST /redo` | makes an edit; the page shows it when it arrives as an event |
//
// Always holds: every answer forbids to be framed, guessed at, or to load anything from elsewhere; each error is JSON.

import Foundation
import Hummingbird
import Listory

/// The parts of a request that the answers need.
struct TodoContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The port of the server.
    let port: Int?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        port = source.channel.localAddress?.port
    }
}

/// Answers requests.
struct TodoResponder: HTTPResponder {
    let store: TodoStore
    let streams = StreamLimit()

    func respond(to request: Request, context: TodoContext) async throws -> Response {
        var response: Response
        do { response = try await answer(request, context) } catch { response = Failure(error).response }
        for field in Self.headers where response.headers[field.name] == nil {
            response.headers[field.name] = field.value
        }
        return response
    }

    /// The header fields of every answer.
    private static let headers: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """,
        .xContentTypeOptions: "nosniff",
        .init("Referrer-Policy")!: "no-referrer",
        .init("Cross-Origin-Resource-Policy")!: "same-origin",
        .init("Cross-Origin-Opener-Policy")!: "same-origin",
        .cacheControl: "no-store",
    ]

    private func answer(_ request: Request, _ context: TodoContext) async throws -> Response {
        try RequestCheck.checkHost(request, port: context.port)
        let path = request.uri.path
        guard let method = Self.methods[path] else {
            throw Failure(status: .notFound, code: "path", message: "There is nothing at this path.")
        }
        guard request.method == method else {
            throw Failure(
                status: .methodNotAllowed, code: "method", message: "This path takes \(method.rawValue).",
                headers: [.allow: method.rawValue])
        }
        if method == .post { return try await edit(request, path) }
        switch path {
        case "/events":
            try RequestCheck.checkOrigin(request, isEdit: false)
            return try await EventStream(store, streams, browser: RequestCheck.browser(request) ?? "").response(
                to: request)
        case "/page.css": return file(PackageResources.page_css, "text/css")
        case "/page.js": return file(PackageResources.page_js, "text/javascript")
        case "/rows.js": return file(PackageResources.rows_js, "text/javascript")
        default:
            var response = file(PackageResources.page_html, "text/html")
            let browser = RequestCheck.browser(request) ?? UUID().uuidString
            response.headers[.setCookie] =
                "\(RequestCheck.cookie)=\(browser); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
            return response
        }
    }

    /// The paths, and the method of each.
    private static let methods: [String: HTTPRequest.Method] = [
        "/": .get, "/page.css": .get, "/page.js": .get, "/rows.js": .get, "/events": .get,
        "/insert": .post, "/toggle": .post, "/rename": .post, "/move": .post, "/delete": .post, "/undo": .post,
        "/redo": .post,
    ]

    private func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

// MARK: - Edits

extension TodoResponder {
    private func edit(_ request: Request, _ path: String) async throws -> Response {
        try RequestCheck.checkOrigin(request, isEdit: true)
        guard let browser = RequestCheck.browser(request) else {
            throw Failure(
                status: .forbidden, code: "browser", message: "The cookie of the page is missing: load the page first.")
        }
        let id = try await store.make(Self.read(request, path), for: browser)
        return .json(["id": id?.uuidString])
    }

    private static func read(_ request: Request, _ path: String) async throws -> TodoEdit {
        func body<Body: Decodable>(_ type: Body.Type) async throws -> Body {
            try await RequestCheck.body(of: request, as: type)
        }
        switch path {
        case "/insert": return .insert(title: try RequestCheck.title(try await body(Inserted.self).title))
        case "/toggle":
            let body = try await body(Toggled.self)
            return .toggle(body.id, isDone: body.isDone)
        case "/rename":
            let body = try await body(Renamed.self)
            return .rename(body.id, title: try RequestCheck.title(body.title))
        case "/move":
            let body = try await body(Moved.self)
            return .move(body.id, before: body.before)
        case "/delete": return .delete(try await body(Deleted.self).id)
        case "/undo":
            _ = try await body(Nothing.self)
            return .undo
        default:
            _ = try await body(Nothing.self)
            return .redo
        }
    }

    private struct Inserted: Decodable { let title: String }
    private struct Toggled: Decodable {
        let id: UUID
        let isDone: Bool
    }
    private struct Renamed: Decodable {
        let id: UUID
        let title: String
    }
    private struct Moved: Decodable {
        let id: UUID
        /// The row before which it goes; nil for the end.
        let before: UUID?
    }
    private struct Deleted: Decodable { let id: UUID }
    private struct Nothing: Decodable {}
}
