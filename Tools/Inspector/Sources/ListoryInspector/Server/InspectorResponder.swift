// Answers requests: checks who asks, finds what is asked, and protects every answer.
//
// Always holds: every answer forbids to be framed, guessed at, kept, or to load anything from elsewhere; each error is JSON;
// a request is refused before anything is read for it.

import Foundation
import Hummingbird
import ListModel
import Listory
import ToolSupport

/// The parts of a request that the answers need.
struct InspectorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The port of the server.
    let port: Int

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        port = source.channel.localAddress?.port ?? 0
    }
}

/// Answers requests.
struct InspectorResponder: HTTPResponder {
    let inspected: InspectedStore
    let check: RequestCheck
    let streams: PlaceLimit
    let tests: PlaceLimit
    let limits: Limits

    func respond(to request: Request, context: InspectorContext) async throws -> Response {
        var response: Response
        do { response = try await answer(request, context.port) } catch { response = Failure(error).response }
        for field in Self.headers where response.headers[field.name] == nil {
            response.headers[field.name] = field.value
        }
        return response
    }

    /// The header fields of every answer.
    private static let headers: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """,
        .xContentTypeOptions: "nosniff",
        .init("Referrer-Policy")!: "no-referrer",
        .init("Cross-Origin-Resource-Policy")!: "same-origin",
        .init("Cross-Origin-Opener-Policy")!: "same-origin",
        .cacheControl: "no-store",
    ]

    private func answer(_ request: Request, _ port: Int) async throws -> Response {
        try check.checkSource(request, port: port)
        if request.uri.path == "/open" {
            try checkMethod(request, .get)
            return try open(request)
        }
        let path = try check.path(of: request)
        if let file = PageFiles.file(at: path) {
            try checkMethod(request, .get)
            return Response(
                status: .ok, headers: [.contentType: "\(file.type); charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
        }
        guard let route = Route.all[path] else { throw Failure(.notFound, "path", "There is nothing at this path.") }
        try checkMethod(request, route.method)
        try check.checkCookie(request)
        return try await answer(request, route)
    }

    private func checkMethod(_ request: Request, _ method: HTTPRequest.Method) throws(Failure) {
        guard request.method == method else {
            throw Failure(
                .methodNotAllowed, "method", "This path takes \(method.rawValue).", headers: [.allow: method.rawValue])
        }
    }

    private func answer(_ request: Request, _ route: Route) async throws -> Response {
        func query(_ names: String..., repeated: Set<String> = []) throws -> Query {
            try Query(request.uri.query ?? "", allowing: names)
        }
        switch route {
        case .answer(let names, let repeated, let write):
            let query = try Query(request.uri.query ?? "", allowing: names, repeated: repeated)
            return try await json { try write(inspected, query, &$0) }
        case .state:
            _ = try query()
            return try await json { try inspected.state(check.access.writing, &$0) }
        case .export:
            let query = try Query(
                request.uri.query ?? "", allowing: ["format", "from", "to"] + TestExport.parameters)
            guard query.text("format") == "test" else { return try ExportStream(inspected, query).response() }
            return try await TestExport(inspected, query).response(to: request, tests, seconds: limits.testSeconds)
        case .events:
            _ = try query()
            return try EventStream(inspected, streams).response(to: request)
        case .exec:
            _ = try query()
            try check.checkWriting(request, isAllowed: inspected.allowsWriting)
            let body = try await check.body(of: request)
            let (status, answer) = try await waiting { try inspected.exec(body) }
            return .json(answer, .init(code: status))
        }
    }

    /// An object whose members `body` writes, on a thread that may wait.
    private func json(_ body: @escaping @Sendable (inout JSONWriter) throws -> Void) async throws -> Response {
        .json(
            try await waiting {
                var writer = JSONWriter()
                try writer.object(body)
                return writer.bytes
            })
    }

    /// Exchanges the launch link for the cookie.
    private func open(_ request: Request) throws -> Response {
        let token = try Query(request.uri.query ?? "", allowing: ["token"]).required("token", "the token of the link")
        guard check.access.useLink(token) else {
            throw Failure(
                .unauthorized, "link",
                "This link was used already, or is not one of this server. \(RequestCheck.needsLink)")
        }
        let page = "/\(check.access.prefix)/"
        let cookie = "\(RequestCheck.cookieName)=\(check.access.session); Path=\(page); HttpOnly; SameSite=Strict"
        return Response(status: .seeOther, headers: [.location: page, .setCookie: cookie])
    }
}
