// The inspector of an app in development: the page over a store that the app has open.
//
// Always holds: only browsers on this machine that were given a link see anything; the store stays the app's, which closes
// it itself.

import Foundation
import Hummingbird
import HummingbirdCore
import Listory
import Logging
import ServiceLifecycle
import Synchronization

/// Shows a store and its past in a browser, while the app runs.
///
/// ```swift
/// let inspector = Inspector(store)
/// print(try await inspector.start())  // open this link in a browser
/// …
/// await inspector.stop()
/// ```
public final class Inspector: Sendable {
    private let inspected: InspectedStore
    private let access = Access()
    private let limits: Limits
    private let port: Int
    private let server = Mutex<Server?>(nil)

    /// A running server.
    private struct Server {
        let group: ServiceGroup
        let run: Task<Void, any Error>
        let port: Int
    }

    /// An inspector of a store.
    ///
    /// - Parameters:
    ///   - store: the store, which has to stay open as long as it is shown.
    ///   - allowsWriting: whether the page may edit the list, undo and redo.
    ///   - port: the port on which the page is served; 0 for any that is free.
    public convenience init(_ store: some StoreProtocol, allowsWriting: Bool = false, port: UInt16 = 0) {
        self.init(store.core, allowsWriting: allowsWriting, port: port, limits: Limits())
    }

    init(_ store: UntypedStore, allowsWriting: Bool, port: UInt16, limits: Limits) {
        inspected = InspectedStore(store, allowsWriting: allowsWriting)
        (self.port, self.limits) = (Int(port), limits)
    }

    /// Begins to serve the page.
    ///
    /// - Returns: a link to open in a browser, see ``link()``.
    /// - Throws: an error of the system if the port cannot be used.
    @discardableResult
    public func start() async throws -> URL {
        let (ports, port) = AsyncStream<Int>.makeStream()
        var application = Application(
            responder: InspectorResponder(
                inspected: inspected, check: RequestCheck(access: access, limits: limits),
                streams: PlaceLimit(limits.streams, "\(limits.streams) pages are listening already."),
                tests: PlaceLimit(1, "Another test is being made."), limits: limits),
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(limits.idleSeconds),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.fieldBytes, maxHeaderListSize: limits.headBytes,
                        maxHeaderFieldCount: limits.fieldCount))),
            configuration: .init(
                address: .hostname("127.0.0.1", port: self.port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
        application.logger.logLevel = .error
        var configuration = ServiceGroupConfiguration(services: [application], logger: application.logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let run = Task {
            defer { port.finish() }
            try await group.run()
        }
        guard let number = await ports.first(where: { _ in true }) else {
            try await run.value
            throw CancellationError()
        }
        server.withLock { $0 = Server(group: group, run: run, port: number) }
        return link()
    }

    /// Another link to the page. Each works once, for one browser, until the server stops.
    public func link() -> URL {
        let port = server.withLock { $0?.port } ?? port
        return URL(string: "http://127.0.0.1:\(port)/open?token=\(access.newLink())")!
    }

    /// Stops to serve the page. The store stays open.
    public func stop() async {
        guard let server = server.withLock({ $0.take() }) else { return }
        await server.group.triggerGracefulShutdown()
        try? await server.run.value
    }
}
