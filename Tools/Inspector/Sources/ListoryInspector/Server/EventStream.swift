// The stream of new versions that a page listens to, as server-sent events.
//
// Always holds: the first event tells the version now, and each other one a version after it, unless commits were replaced: then
// it tells a greater number of replacements. A page that is slow gets several commits as one event.

import Hummingbird
import ListModel
import Listory
import ServiceLifecycle
import ToolSupport

/// Sends new versions to a page until either side ends.
struct EventStream: Sendable {
    private let store: UntypedStore
    private let streams: PlaceLimit

    init(_ inspected: InspectedStore, _ streams: PlaceLimit) { (store, self.streams) = (inspected.store, streams) }

    /// The answer, whose body does not end before the server.
    func response(to request: Request) throws -> Response {
        let place = try streams.enter()
        let updates = try store.updates()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8"],
            body: ResponseBody { writer in
                defer { place.leave() }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    let first = updates.initial
                    try await writer.write(event(first, since: first.version))
                    for await update in updates.cancelOnGracefulShutdown() {
                        try await writer.write(event(update.snapshot, since: update.previous.version))
                    }
                    try await writer.write(ByteBuffer(string: "event: end\ndata: {}\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    private func event(_ snapshot: UntypedSnapshot, since version: Version) -> ByteBuffer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", snapshot.version.rawValue)
            writer.member("replacements", store.replacementCount)
            writer.member("since", version.rawValue)
            writer.member("rows", snapshot.itemCount)
            writer.member("sections", snapshot.sectionCount)
        }
        return ByteBuffer(string: "event: version\ndata: \(writer.text)\n\n")
    }
}
