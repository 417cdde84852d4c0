// Failed requests: a status, and what was wrong, as JSON.
//
// Always holds: a request that fails has changed nothing, but for an edit that could not be saved yet (507): it is shown, and
// saved when that is possible.

import Foundation
import Hummingbird
import Listory

/// Why a request was refused.
struct Failure: Error {
    var status: HTTPResponse.Status
    /// A word for programs.
    var code: String
    /// A sentence for people.
    var message: String
    var headers: HTTPFields = [:]

    /// The failure that a browser is told for any error.
    ///
    /// What the server does not expect is printed and not told, because it may name files.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case is ListIsFull:
            self.init(
                status: .conflict, code: "full",
                message: "The list has \(TodoStore.maximumRowCount) rows, which is the most that it may have.")
        case let error as ListError where error.isOfUnreadableRow:
            self.init(
                status: .conflict, code: "unreadable",
                message: "A row that cannot be read can only be checked, moved and deleted.")
        case let error as ListError where error.isRejection:
            let status: HTTPResponse.Status =
                switch error {
                case .unknownItem, .unknownSection: .notFound
                default: .conflict
                }
            self.init(status: status, code: error.code, message: "\(error)")
        case ListError.closed:
            self.init(status: .serviceUnavailable, code: "closed", message: "The server is being stopped.")
        case ListError.appendFailed:
            self.init(
                status: .init(code: 507, reasonPhrase: "Insufficient Storage"), code: "appendFailed",
                message: "The edit could not be saved yet.")
        default:
            TodoServer.complain("\(error)")
            self.init(status: .internalServerError, code: "internal", message: "The server could not do that.")
        }
    }

    init(status: HTTPResponse.Status, code: String, message: String, headers: HTTPFields = [:]) {
        (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
    }

    /// The answer.
    var response: Response {
        var response = Response.json(["error": ["code": code, "message": message]], status)
        for field in headers { response.headers[field.name] = field.value }
        return response
    }
}

extension Response {
    /// An answer as JSON.
    static func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) -> Response {
        // These values are strings, numbers and arrays of them, which can always be encoded.
        let data = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
        return Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
