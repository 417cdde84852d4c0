import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A NATS server with JetStream on loopback, with its files in a temporary folder. It ends with this process.
public final class NATSServer: Sendable {
    public let port: Int
    /// The user and the password; nil if the server asks for none.
    public let login: (user: String, password: String)?
    private let folder: ServerFolder
    private let process = Mutex<ServerProcess?>(nil)

    /// Makes an empty server and starts it.
    ///
    /// - Parameters:
    ///   - settings: more lines for the configuration.
    public convenience init(login: (user: String, password: String)? = nil, settings: String = "") throws {
        try self.init(port: ServerProcess.freePort(), login: login, settings: settings)
        try start()
    }

    fileprivate init(port: Int, login: (user: String, password: String)?, settings: String) throws {
        self.port = port
        self.login = login
        folder = try ServerFolder()
        var lines = [
            "listen: \"127.0.0.1:\(port)\"",
            "server_name: \"listory-\(port)\"",
            "jetstream { store_dir: \"\(folder.url.appending(path: "data").path)\" }",
            settings,
        ]
        if let login {
            lines.append("authorization { user: \"\(login.user)\", password: \"\(login.password)\" }")
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appending(path: "configuration"))
    }

    /// The address of the server.
    public var url: String {
        let user = login.map { "\($0.user):\($0.password)@" } ?? ""
        return "nats://\(user)127.0.0.1:\(port)"
    }

    /// Starts the server again after ``kill()`` or ``stop()``.
    public func start() throws {
        try process.withLock { process in
            process?.end(keepsFolder: true)
            process = try ServerProcess(
                [
                    ServerProcess.program("nats-server", in: ["/usr/sbin", "/usr/local/sbin"]), "-c",
                    folder.url.appending(path: "configuration").path,
                ], user: nil, log: folder.url.appending(path: "log"), removed: folder.url)
        }
        do {
            try ServerProcess.wait(for: 20, "nats-server") { ServerProcess.accepts(port: port) }
        } catch {
            let log = try? String(contentsOf: folder.url.appending(path: "log"), encoding: .utf8)
            throw ServerError("nats-server did not start: \((log ?? "").suffix(2000))")
        }
    }

    /// Kills the server without a warning, as a crash would.
    public func kill() throws { try process.withLock { try $0?.finish(SIGKILL) } }

    /// Stops the server in order.
    public func stop() throws { try process.withLock { try $0?.finish(SIGINT) } }

    /// Lets the server stand still, as if its machine were not reachable, or go on.
    public func suspend(_ suspends: Bool) { process.withLock { $0?.suspend(suspends) } }

    /// Ends the server and removes its files.
    public func end() { process.withLock { $0?.end() } }
}

/// NATS servers that keep streams together.
public struct NATSCluster: Sendable {
    public let servers: [NATSServer]

    public init(servers count: Int = 3) throws {
        let routes = try (0..<count).map { _ in try ServerProcess.freePort() }
        let list = routes.map { "\"nats-route://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        servers = try routes.map { route in
            try NATSServer(
                port: ServerProcess.freePort(), login: nil,
                settings: "cluster { name: listory, listen: \"127.0.0.1:\(route)\", routes: [\(list)] }")
        }
        for server in servers { try server.start() }
    }

    /// The addresses of all of them.
    public var url: String { servers.map(\.url).joined(separator: ",") }
}
