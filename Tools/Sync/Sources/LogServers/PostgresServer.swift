import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A PostgreSQL server on loopback, with its files in a temporary folder. It ends with this process.
public final class PostgresServer: Sendable {
    public let port: Int
    /// The password of the user `postgres`; nil if the server asks for none.
    public let password: String?
    let folder: ServerFolder
    private let settings: Mutex<[String]>
    private let process = Mutex<ServerProcess?>(nil)

    /// Makes an empty server and starts it.
    ///
    /// - Parameters:
    ///   - password: of the user `postgres`; nil if everybody is let in.
    ///   - isDurable: whether it syncs its files. Without that it survives being killed, but not a power cut.
    ///   - settings: for the configuration, as `name=value`.
    public init(password: String? = nil, isDurable: Bool = false, settings: [String] = []) throws {
        folder = try ServerFolder()
        port = try ServerProcess.freePort()
        self.password = password
        self.settings = Mutex(["fsync=\(isDurable ? "on" : "off")"] + settings)
        try PostgresServer.giveAway(folder.url)
        var command = try [
            PostgresServer.program("initdb"), "-D", PostgresServer.data(in: folder), "-U", "postgres", "-E", "UTF8",
            "--locale=C", "--no-sync", "-A", password == nil ? "trust" : "scram-sha-256",
        ]
        let passwordFile = folder.url.appending(path: "password")
        if let password {
            try Data(password.utf8).write(to: passwordFile)
            try PostgresServer.giveAway(passwordFile)
            command.append("--pwfile=\(passwordFile.path)")
        }
        try ServerProcess.run(command, user: PostgresServer.user)
        if password != nil { try FileManager.default.removeItem(at: passwordFile) }
        try start()
    }

    /// Makes a standby of another server and starts it.
    ///
    /// - Parameter isDurable: whether it syncs its files.
    public init(standbyOf primary: PostgresServer, name: String, isDurable: Bool = false) throws {
        folder = try ServerFolder()
        port = try ServerProcess.freePort()
        password = primary.password
        settings = Mutex(["fsync=\(isDurable ? "on" : "off")", "wal_retrieve_retry_interval=200ms"])
        try PostgresServer.giveAway(folder.url)
        try ServerProcess.run(
            [
                PostgresServer.program("pg_basebackup"), "-D", PostgresServer.data(in: folder), "-X", "stream", "-R",
                "--no-sync", "-c", "fast", "-d",
                "host=127.0.0.1 port=\(primary.port) user=postgres application_name=\(name)",
            ], user: PostgresServer.user, environment: primary.environment)
        try start()
    }

    /// The address of the server for libpq.
    public var url: String { url(hosts: [port]) }

    /// An address with several servers, each with the password of this one.
    public func url(with other: PostgresServer) -> String { url(hosts: [port, other.port]) }

    /// What programs of PostgreSQL have to find in their environment: other users see their arguments.
    private var environment: [String: String] { password.map { ["PGPASSWORD": $0] } ?? [:] }

    private func url(hosts ports: [Int]) -> String {
        let user = password.map { "postgres:\($0)" } ?? "postgres"
        return "postgresql://\(user)@\(ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))/postgres"
    }

    /// Starts the server again after ``kill()`` or ``stop()``, with more settings, which it keeps.
    public func start(with more: [String] = []) throws {
        let settings = settings.withLock { settings in
            settings += more
            return settings
        }
        let ready = try PostgresServer.program("pg_isready")
        let deadline = Date(timeIntervalSinceNow: 60)
        try run(settings)
        while (try? ServerProcess.run([ready, "-h", "127.0.0.1", "-p", "\(port)"], user: nil)) == nil {
            guard Date() < deadline else {
                let log = try? String(contentsOf: folder.url.appending(path: "log"), encoding: .utf8)
                throw ServerError("PostgreSQL did not start: \((log ?? "").suffix(2000))")
            }
            usleep(50_000)
            // After a kill, it does not start before the last child of the killed one has ended.
            if process.withLock({ $0?.isRunning != true }) { try run(settings) }
        }
    }

    private func run(_ settings: [String]) throws {
        let command =
            try [
                PostgresServer.program("postgres"), "-D", PostgresServer.data(in: folder), "-p", "\(port)", "-h",
                "127.0.0.1", "-k", "",
                // Shared memory in the folder, which is removed, also after a kill.
                "-c", "dynamic_shared_memory_type=mmap",
            ] + settings.flatMap { ["-c", $0] }
        try process.withLock { process in
            process?.end(keepsFolder: true)
            process = try ServerProcess(
                command, user: PostgresServer.user, log: folder.url.appending(path: "log"), removed: folder.url)
        }
    }

    /// Kills the server without a warning, as a crash would.
    public func kill() throws { try process.withLock { try $0?.finish(SIGKILL) } }

    /// Stops the server in order.
    public func stop() throws { try process.withLock { try $0?.finish(SIGINT) } }

    /// Lets the server stand still, as if its machine were not reachable, or go on.
    public func suspend(_ suspends: Bool) { process.withLock { $0?.suspend(suspends) } }

    /// Makes a standby the primary, and waits until it accepts changes.
    public func promote() throws {
        try ServerProcess.run(
            [PostgresServer.program("pg_ctl"), "promote", "-w", "-D", PostgresServer.data(in: folder)],
            user: PostgresServer.user)
    }

    /// Runs a statement as the user `postgres`, on a connection of its own; throws if it fails.
    public func run(sql statement: String) throws {
        try ServerProcess.run(
            [
                PostgresServer.program("psql"), "-X", "-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "-c",
                statement,
            ], user: nil, environment: environment)
    }

    /// Ends the server and removes its files.
    public func end() { process.withLock { $0?.end() } }

    // MARK: Files and users

    private static func data(in folder: ServerFolder) -> String { folder.url.appending(path: "data").path }

    /// PostgreSQL refuses to run as root. Its package makes a user for it.
    static var user: String? { getuid() == 0 ? "postgres" : nil }

    private static func giveAway(_ file: URL) throws {
        guard let user else { return }
        try FileManager.default.setAttributes([.ownerAccountName: user], ofItemAtPath: file.path)
    }

    /// Debian keeps the programs of each release in a folder of its own.
    private static func program(_ name: String) throws -> String {
        let releases = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newestFirst = releases.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        return try ServerProcess.program(name, in: newestFirst.map { "/usr/lib/postgresql/\($0)/bin" })
    }
}

/// A primary and a standby, which has everything that the primary has acknowledged.
public struct PostgresPair: Sendable {
    public let primary: PostgresServer
    public let standby: PostgresServer

    /// - Parameters:
    ///   - password: of the user `postgres`; nil if everybody is let in who can connect to this machine's loopback. That user may run
    ///     programs as the user of the server.
    ///   - isDurable: whether both sync their files.
    public init(password: String? = nil, isDurable: Bool = false) throws {
        primary = try PostgresServer(
            password: password, isDurable: isDurable, settings: ["synchronous_commit=remote_apply"])
        standby = try PostgresServer(standbyOf: primary, name: "standby1", isDurable: isDurable)
        // From here on, the primary waits for the standby. It could not before: there was none.
        try primary.stop()
        try primary.start(with: ["synchronous_standby_names=standby1"])
        let deadline = Date(timeIntervalSinceNow: 60)
        // Division by zero fails as long as the standby has not come back.
        let question = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while (try? primary.run(sql: question)) == nil {
            guard Date() < deadline else { throw ServerError("the standby does not follow") }
            usleep(50_000)
        }
    }

    /// Stops both, and removes their files.
    public func end() {
        primary.end()
        standby.end()
    }

    /// The address of both.
    public var url: String { primary.url(with: standby) }
}
