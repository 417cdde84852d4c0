// The log or a part of it as a file.
//
// The reports of the tool write on a thread of their own, which waits until the browser has taken what was written.
//
// Always holds: only a few parts are in memory, however long the file is.

import Dispatch
import Foundation
import Hummingbird
import ListModel
import Listory
import Synchronization
import ToolSupport

/// Writes a file to a browser.
struct ExportStream {
    /// How many threads write.
    static let writers = Atomic(0)

    private let name: String
    private let write: @Sendable (_ send: @escaping ([UInt8]) throws -> Void) throws -> Void

    /// - Throws: `RequestError`, or `ListError` if there are no such versions.
    init(_ inspected: InspectedStore, _ query: Query) throws {
        let store = inspected.store
        let file = inspected.name
        let format = try query.required("format", "lines, test or store")
        for name in TestExport.parameters where query.text(name) != nil {
            throw RequestError(.invalidRequest, "\(name): expected format=test beside it, found \"\(format.shown)\"")
        }
        let (from, to) = (try query.version("from"), try query.version("to"))
        switch format {
        case "lines":
            var range = LogReport.Span()
            (range.first, range.last) = (from, to)
            let span = range
            // Refuses versions that there are not.
            try LogReport(store, .json, .plain) { _ in }.print(span, limit: 0)
            name = "\(file)-log.jsonl"
            write = { send in
                var report = LogReport(store, .json, .plain, send: send)
                report.detail = .everything
                try report.print(span)
            }
        case "store":
            if from != nil || to != nil {
                throw RequestError(.invalidRequest, "format=store: expected neither from nor to beside it")
            }
            name = "\(file)-export.jsonl"
            write = { send in try ExportReport(store).print(progress: { _ in }, send: send) }
        default:
            throw RequestError(.invalidRequest, "format: expected lines, test or store, found \"\(format.shown)\"")
        }
    }

    /// The answer.
    func response() -> Response {
        let body = ResponseBody { [write] writer in
            let parts = Parts()
            // The browser may have gone.
            defer { parts.end() }
            parts.begin(write)
            for try await part in parts {
                try await writer.write(ByteBuffer(bytes: part))
                parts.taken()
            }
            try await writer.finish(nil)
        }
        return .file(named: name, "application/jsonl", body)
    }

    /// Parts that one thread writes and a task takes.
    private final class Parts: AsyncSequence, Sendable {
        private let stream: AsyncThrowingStream<[UInt8], any Error>
        private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
        /// Counts the parts that may still be written: four before one is taken. It begins with 0, because a semaphore must not
        /// end with less than it had.
        private let room = DispatchSemaphore(value: 0)
        private let isGone = Mutex(false)

        private struct Gone: Error {}

        init() {
            (stream, continuation) = AsyncThrowingStream.makeStream()
            for _ in 0..<4 { room.signal() }
        }

        func begin(_ write: @escaping @Sendable (@escaping ([UInt8]) throws -> Void) throws -> Void) {
            Thread.detachNewThread { [self] in
                ExportStream.writers.add(1, ordering: .relaxed)
                defer { ExportStream.writers.subtract(1, ordering: .relaxed) }
                var part: [UInt8] = []
                func send() throws {
                    room.wait()
                    if isGone.withLock({ $0 }) { throw Gone() }
                    continuation.yield(part)
                    part = []
                }
                do {
                    try write { bytes in
                        part += bytes
                        if part.count >= 1 << 16 { try send() }
                    }
                    if !part.isEmpty { try send() }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }

        /// Makes room for another part.
        func taken() { room.signal() }

        /// Ends the thread, if it has not ended: nobody takes any part.
        func end() {
            isGone.withLock { $0 = true }
            room.signal()
        }

        func makeAsyncIterator() -> AsyncThrowingStream<[UInt8], any Error>.Iterator { stream.makeAsyncIterator() }
    }
}

extension Response {
    /// An answer that the browser saves.
    static func file(named name: String, _ type: String, _ body: ResponseBody) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "\(type); charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: body)
    }
}
