// Failed requests: a status, and what was wrong, as JSON.
//
// Always holds: a request that fails has changed nothing, but for one that asks for several steps of the history: if a later
// one has conflicts, the answer tells the version to which the first ones have led.

import Foundation
import Hummingbird
import ListModel
import Listory
import ToolSupport

/// Why a request was refused.
struct Failure: Error {
    let status: HTTPResponse.Status
    /// A word for programs.
    let code: String
    /// A sentence for people.
    let message: String
    /// Field of the answer besides.
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, headers: HTTPFields = [:]) {
        (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
    }

    /// The failure that a browser is told for any error.
    init(_ error: any Error) {
        if let failure = error as? Failure {
            self = failure
            return
        }
        self.init(Failure.status(of: error), Diagnostic.code(error), Diagnostic.text(error))
    }

    private static func status(of error: any Error) -> HTTPResponse.Status {
        switch error {
        case is RequestError: .badRequest
        case ListError.unknownVersion, ListError.droppedVersion, ListError.unknownName, ListError.unknownItem,
            ListError.unknownSection:
            .notFound
        case ListError.closed: .serviceUnavailable
        case let error as ListError where error.isRejection: .conflict
        case let error as ToolError where error.status == .refused: .notFound
        default: .internalServerError
        }
    }

    /// The answer.
    var response: Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("error")
            writer.object { writer in
                writer.member("code", code)
                writer.member("message", message)
            }
        }
        var response = Response.json(writer.bytes, status)
        response.headers.append(contentsOf: headers)
        return response
    }
}

extension Response {
    /// An answer as JSON.
    static func json(_ bytes: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
