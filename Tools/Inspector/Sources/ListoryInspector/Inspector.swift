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
    private let limits: Limits
    private let port: Port
    private let starting = Mutex<Starting?>(nil)
    /// The secrets of the server that ran last, and its port.
    private let served = Mutex<(access: Access, port: Int)?>(nil)

    /// On which port the page is served.
    private enum Port {
        case exactly(Int)
        case preferably(Int)
    }

    /// A server that runs or is about to. Each has secrets of its own: an open page goes on asking after its end, and another program may have
    /// the port then.
    private struct Starting {
        let access = Access()
        let server: Task<Server, any Error>

        init(_ serve: @escaping @Sendable (Access) async throws -> Server) {
            server = Task { [access] in try await serve(access) }
        }
    }

    /// A running server.
    private struct Server {
        let group: ServiceGroup
        let run: Task<Void, any Error>
        /// Waits for the end of the store or the server, and forgets what is kept then.
        let forgetting: Task<Void, any Error>
        let port: Int
    }

    /// An inspector of a store.
    ///
    /// - Parameters:
    ///   - store: the store, which has to stay open as long as it is shown.
    ///   - allowsWriting: whether the page may edit the list, undo and redo.
    ///   - port: the port on which the page is served; 0 for any that is free; nil for one that follows from the path of the
    ///     store, or any if that is taken. A browser keeps bookmarks for each port by itself.
    public convenience init(_ store: some StoreProtocol, allowsWriting: Bool = false, port: UInt16? = nil) {
        self.init(store.core, allowsWriting: allowsWriting, port: port, limits: Limits())
    }

    init(_ store: UntypedStore, allowsWriting: Bool, port: UInt16?, limits: Limits) {
        inspected = InspectedStore(store, allowsWriting: allowsWriting, answerTime: limits.answerTime)
        self.port = port.map { .exactly(Int($0)) } ?? .preferably(Inspector.port(of: store.path))
        self.limits = limits
    }

    /// The port of a store, from 20,000 on, where systems do not look for free ones.
    static func port(of path: String) -> Int {
        let path = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
        // FNV-1a, which is the same in every process.
        let hash = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return 20_000 + Int(hash % 10_000)
    }

    /// Begins to serve the page, unless it is served already.
    ///
    /// - Returns: a link to open in a browser, see ``link()``.
    /// - Throws: an error of the system if the port cannot be used.
    @discardableResult
    public func start() async throws -> URL {
        let found = starting.withLock { starting in
            let found = starting ?? Starting { [self] in try await serve($0) }
            starting = found
            return found
        }
        do {
            let port = try await found.server.value.port
            // Meanwhile it may have been stopped, and another one started.
            starting.withLock { now in
                if now?.access === found.access { served.withLock { $0 = (found.access, port) } }
            }
            return Inspector.link(found.access, port)
        } catch {
            starting.withLock { if $0?.server == found.server { $0 = nil } }
            throw error
        }
    }

    private func serve(_ access: Access) async throws -> Server {
        switch port {
        case .exactly(let number): return try await serve(on: number, access)
        case .preferably(let number):
            do { return try await serve(on: number, access) } catch { return try await serve(on: 0, access) }
        }
    }

    private func serve(on number: Int, _ access: Access) async throws -> Server {
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
                address: .hostname("127.0.0.1", port: number),
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
        let forgetting = Task { [inspected] in
            defer { inspected.forget() }
            // They end when the store closes.
            for await _ in try inspected.store.appendFailures() {}
        }
        return Server(group: group, run: run, forgetting: forgetting, port: number)
    }

    /// Another link to the page; nil unless it is served. Each works once, for one browser, until the server stops.
    public func link() -> URL? {
        guard let served = served.withLock({ $0 }), served.access === starting.withLock({ $0?.access }) else {
            return nil
        }
        return Inspector.link(served.access, served.port)
    }

    private static func link(_ access: Access, _ port: Int) -> URL {
        URL(string: "http://127.0.0.1:\(port)/open?token=\(access.newLink())")!
    }

    /// Stops to serve the page. The store stays open; nothing is kept of it.
    public func stop() async {
        guard let starting = starting.withLock({ $0.take() }), let server = try? await starting.server.value else {
            return
        }
        starting.access.forgetLinks()
        await server.group.triggerGracefulShutdown()
        try? await server.run.value
        server.forgetting.cancel()
        _ = await server.forgetting.result
    }
}
