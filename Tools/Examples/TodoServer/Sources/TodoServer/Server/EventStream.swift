// The stream of changes that a browser listens to, as server-sent events.
//
// Each event has an id that names the rows after it. If the connection breaks, the browser connects again by itself and
// sends the last id; the stream then begins with what changed since those rows. A page that connects again itself cannot
// set that field, and says it in the query.
//
// Always holds: the events lead from the rows that the browser has to the newest ones, whichever were missed. A browser
// that is slow gets several commits as one event, and the server keeps no more for it than the store's updates do.

import Foundation
import Hummingbird
import Listory
import Synchronization

/// Sends changes to a browser until either side ends.
struct EventStream: Sendable {
    private let store: TodoStore
    private let streams: StreamLimit
    private let browser: String

    init(_ store: TodoStore, _ streams: StreamLimit, browser: String) {
        (self.store, self.streams, self.browser) = (store, streams, browser)
    }

    /// The answer, whose body does not end.
    func response(to request: Request) async throws -> Response {
        let said = request.headers[.init("Last-Event-ID")!] ?? request.uri.queryParameters["since"].map { String($0) }
        let known = said.flatMap { RowsID($0) }
        let updates = try store.updates()
        let first = try await first(updates.initial, known)
        let place = try streams.enter()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8"],
            body: ResponseBody { writer in
                defer { place.leave() }
                // The updates end when the store is closed, which is how the server stops.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(ByteBuffer(string: "retry: 1000\n\n" + first))
                    for await update in updates {
                        try await writer.write(ByteBuffer(string: event(update)))
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// The first event: what changed since the rows that the browser has, or all rows.
    private func first(_ newest: TodoSnapshot, _ known: RowsID?) async throws -> String {
        guard let known, known.version <= newest.version else { return try rows(newest) }
        if known == RowsID(newest) { return try changes(from: newest, to: newest, by: nil) }
        // Rows of the past are read from the log.
        let old = try? await waiting { try store.snapshot(at: known.version) }
        guard let old, RowsID(old) == known else { return try rows(newest) }
        return try changes(from: old, to: newest, by: nil)
    }

    private func event(_ update: ListUpdate<String, Todo>) throws -> String {
        try changes(from: update.previous, to: update.snapshot, by: update.cause)
    }

    private func changes(from old: TodoSnapshot, to new: TodoSnapshot, by cause: Commit?) throws -> String {
        let message = try ChangesMessage(from: old, to: new, by: cause, browser, buttons())
        return try message.map { try text("changes", RowsID(new), $0) } ?? rows(new)
    }

    private func rows(_ snapshot: TodoSnapshot) throws -> String {
        try text("rows", RowsID(snapshot), RowsMessage(snapshot, buttons()))
    }

    private func buttons() throws -> ShownUndo { ShownUndo(try store.undoState(origin: browser)) }

    /// An event. Its data is one line, because JSON writes line ends in strings as `\n`.
    private func text(_ kind: String, _ id: RowsID, _ message: some Encodable) throws -> String {
        "id: \(id.text)\nevent: \(kind)\ndata: \(String(decoding: try JSONEncoder().encode(message), as: UTF8.self))\n\n"
    }
}

/// Counts the streams that are open, of which there may be a number only.
final class StreamLimit: Sendable {
    static let maximum = 100
    private let count = Mutex(0)

    /// Counts a stream, until the place is left or forgotten.
    ///
    /// - Throws: ``Failure`` with 503.
    func enter() throws(Failure) -> Place {
        let isIn = count.withLock { count in
            if count < Self.maximum { count += 1 } else { return false }
            return true
        }
        guard isIn else {
            throw Failure(
                status: .serviceUnavailable, code: "tooMany",
                message: "\(Self.maximum) browsers are listening already.",
                headers: [.retryAfter: "5"])
        }
        return Place(self)
    }

    /// A stream that is open.
    final class Place: Sendable {
        private let limit: Mutex<StreamLimit?>

        fileprivate init(_ limit: StreamLimit) { self.limit = Mutex(limit) }

        deinit { leave() }

        func leave() {
            limit.withLock { $0.take() }?.count.withLock { $0 -= 1 }
        }
    }
}
