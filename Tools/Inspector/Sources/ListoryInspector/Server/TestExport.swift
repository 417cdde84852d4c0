// A range of the log as a test that fails as long as something is wrong.
//
// Always holds: the file is the one of `listory extract --test`; no program is run for it; one is made at a time, and other
// requests do not wait for it.

import Hummingbird
import ListModel
import Listory
import ToolSupport

/// Makes a file for Swift Testing.
struct TestExport: Sendable {
    /// The parameters besides the range.
    static let parameters = ["where", "keepContents"]

    private let store: UntypedStore
    private let name: String
    private let range: VersionRange
    private let judge: Bisection.Judge
    private let keepsContents: Bool

    /// - Throws: `RequestError`.
    init(_ inspected: InspectedStore, _ query: Query) throws {
        store = inspected.store
        name = inspected.name.prefix(1).uppercased() + inspected.name.dropFirst() + "Tests"
        range = VersionRange(
            try query.version("from") ?? VersionName("first"), try query.version("to") ?? VersionName("head"))
        judge = .condition(try query.condition("where"))
        keepsContents = try query.flag("keepContents")
    }

    /// The answer. The search ends when the browser is gone.
    ///
    /// - Throws: `RequestError` if the condition is not true of the last version, or is true before the range; `ListError` if
    ///   there are no such versions.
    func response(to request: Request, _ limit: PlaceLimit, seconds: Double) async throws -> Response {
        let place = try limit.enter()
        defer { place.leave() }
        let text = try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await working { check in
                do {
                    let found = try Reduction(
                        range.commits(in: store), of: store, judge, keepsContents: keepsContents,
                        limit: .seconds(seconds)
                    ) { _ in try check() }
                    return try TestFile(found.list, judge).text(named: name)
                } catch let error as ToolError where error.status == .refused {
                    throw RequestError(.invalidRequest, "\(error)")
                }
            }
        }
        return .file(named: "\(name).swift", "text/plain", ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
