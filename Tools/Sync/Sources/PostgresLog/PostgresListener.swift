import Dispatch
import SharedLog

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits on a connection of its own until the log grows. No thread waits meanwhile: dispatch watches the socket.
///
/// A notification can be lost with its connection, and a server of another make may have none. So the end is also read after each
/// pause.
final class PostgresListener: @unchecked Sendable {
    // All variables are used on the queue only.
    private let queue = DispatchQueue(label: "listory.postgres.changes")
    private let address: PostgresAddress
    private let list: String
    private let options: PostgresLog.Options
    private let broadcast: ChangeBroadcast
    private let ahead: PostgresReadAhead
    private var connection: (handle: PostgresConnection, list: Int64)?
    private var socket: (any DispatchSourceRead)?
    private var pause = GrowingPause()
    private var seen: [UInt8] = []
    private var isRunning = false
    private var isStopped = false

    init(
        _ address: PostgresAddress, list: String, options: PostgresLog.Options, broadcast: ChangeBroadcast,
        ahead: PostgresReadAhead
    ) {
        self.address = address
        self.list = list
        self.options = options
        self.broadcast = broadcast
        self.ahead = ahead
    }

    // Dispatch ends the connection, when it does not watch the socket any more.
    deinit { socket?.cancel() }

    func start() {
        queue.async { [self] in
            guard !isRunning, !isStopped else { return }
            isRunning = true
            connect()
        }
    }

    func stop() {
        queue.async { [self] in
            isStopped = true
            disconnect()
        }
    }

    private func connect() {
        guard !isStopped else { return }
        do {
            let handle = try PostgresConnection(address, timeout: options.timeout)
            let id = try PostgresSchema.findList(list, creates: options.createsList, on: handle)
            // A server of another make may not know it: the pauses are enough then.
            do { try handle.run("LISTEN \(PostgresSchema.channel(of: id))") } catch  where handle.isAlive {}
            // libpq closes its own descriptor when the connection is lost, and another connection may get its number. Dispatch must not
            // watch that one meanwhile.
            let watched = fcntl(handle.socket, F_DUPFD_CLOEXEC, 0)
            guard watched >= 0 else { throw SharedLogError.unavailable(cause: "the socket cannot be watched") }
            connection = (handle, id)
            let source = DispatchSource.makeReadSource(fileDescriptor: watched, queue: queue)
            source.setEventHandler { [weak self] in self?.read(handle) }
            source.setCancelHandler { close(watched) }
            source.resume()
            socket = source
            // What came while there was no connection woke nobody.
            broadcast.yield()
            look(handle)
        } catch {
            retry()
        }
    }

    private func disconnect() {
        ahead.noteEnd(nil)
        socket?.cancel()
        socket = nil
        connection = nil
    }

    private func retry() {
        // A replica that waits for changes looks, and finds that the log cannot be reached.
        if connection != nil { broadcast.yield() }
        disconnect()
        guard !isStopped else { return }
        pause.failed()
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause.remaining.milliseconds))) { [weak self] in
            self?.connect()
        }
    }

    private func read(_ handle: PostgresConnection) {
        guard let connection, handle === connection.handle else { return }
        do {
            // While entries are read, another notification may come with them: the socket does not show it any more.
            while try handle.readNotifications(without: ahead.id) {
                do {
                    try ahead.fill {
                        // A larger one is left to the log, which may ask for fewer bytes than it has, and would read it again.
                        try handle.entries(
                            after: $0, limit: PostgresReadAhead.mostRows, bytes: PostgresReadAhead.mostBytes,
                            largest: options.maximumEntryBytes, list: connection.list, hasFirst: false)
                    }
                } catch  where handle.isAlive {
                    // The log reads them again, and reports what is wrong with them.
                }
                broadcast.yield()
            }
        } catch {
            retry()
        }
    }

    /// Reads the end, and again after the pause.
    private func look(_ handle: PostgresConnection) {
        guard !isStopped, let connection, handle === connection.handle else { return }
        do {
            let rows = try handle.run(PostgresSchema.end, [.integer(connection.list)])
            // A list that was removed, and perhaps made again, has another number.
            guard let rows, rows.count > 0 else { return retry() }
            let found = Array(rows.bytes(0, 0)) + Array(rows.bytes(0, 1))
            pause.succeeded()
            read(handle)
            if found != seen { broadcast.yield() }
            seen = found
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(options.pause.milliseconds))) { [weak self] in
                self?.look(handle)
            }
        } catch {
            retry()
        }
    }
}
