// Tests a client whose line is so slow that a large message takes longer than it waits at first.

import Foundation
import LogServers
import NATSLog
@testable import PostgresLog
import SharedLog
import Synchronization
import Testing

@Suite struct SlowLineTests {
    @Test func aLargeMessageIsReadOverASlowLine() async throws {
        let server = try NATSServer()
        defer { server.end() }
        let writer = try Engine.nats.open(server.url, list: "list")
        var entries: [LogEntry] = []
        for number in 0..<3 {
            let payload = [UInt8](repeating: UInt8(number), count: 60_000)
            entries.append(LogEntry(after: entries.last?.position ?? .beginning, payload: payload))
        }
        #expect(try await writer.append(entries, after: .beginning) == .appended)
        // It takes 18 seconds, and so does the answer to a ping that is sent meanwhile.
        let line = try SlowLine(to: server.port, bytesPerSecond: 10_000)
        defer { line.end() }
        let reader = try Engine.nats.open("nats://127.0.0.1:\(line.port)", list: "list", timeout: .seconds(10))
        let found = try await eventually(within: 120) {
            try await reader.entries(after: 0, maximumBytes: 1_000_000)
        }
        #expect(found == entries)
        await reader.close()
        await writer.close()
    }

    /// For the server, the statement runs until the last of its rows is on the way.
    @Test func entriesThatTakeLongerThanAnAnswerMayTakeAreReadFromPostgres() async throws {
        let server = try PostgresServer()
        defer { server.end() }
        let writer = try Engine.postgres.open(server.url, list: "list")
        let entries = LogPosition.beginning.entries((0..<12).map { [UInt8](repeating: $0, count: 1_000_000) })
        #expect(try await writer.append(entries, after: .beginning) == .appended)
        // It takes 4 seconds, of which the server has to wait for at least 2: it may keep 4 MB for the line.
        let line = try SlowLine(to: server.port, bytesPerSecond: 3_000_000, keptBytes: 64 << 10)
        defer { line.end() }
        let url = server.url.replacing("\(server.port)", with: "\(line.port)")
        let reader = try Engine.postgres.open(url, list: "list", timeout: .seconds(1))
        #expect(try await reader.entries(after: 0, maximumBytes: 20_000_000) == entries)
        await reader.close()
        await writer.close()
    }

    /// Otherwise it would go on for any time with what its client has given up.
    @Test func aServerLooksWhetherTheClientOfAStatementIsThere() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let address = try PostgresAddress(server.url, connectTimeout: .seconds(3))
        let connection = try PostgresConnection(address, timeout: .seconds(30))
        let rows = try #require(try connection.run("SHOW client_connection_check_interval"))
        #expect(Array(rows.bytes(0, 0)) == Array("10s".utf8))
    }
}

/// A line on loopback that carries so many bytes a second from a server to a client.
final class SlowLine: Sendable {
    let port: Int
    private let listener: Int32
    private let silent = Mutex<[Int32]>([])
    private let accepted = Mutex(0)

    /// How many clients there were.
    var clientCount: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - bytesPerSecond: nil for as many as there are.
    ///   - keptBytes: how many bytes may wait before the line; nil for as many as the system likes.
    ///   - silentCount: of how many clients the server demands TLS, and says nothing more, before it is there.
    init(to server: Int, bytesPerSecond: Int? = nil, keptBytes: Int32? = nil, silentCount: Int = 0) throws {
        let listener = ServerProcess.makeSocket()
        self.listener = listener
        var address = ServerProcess.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else { throw TestFailure("there is no free port") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                accepted.withLock { $0 += 1 }
                if silent.withLock({ $0.count }) < silentCount {
                    let line = #"INFO {"server_id":"a","version":"2.9.0","proto":1,"tls_required":true}"#
                    _ = Array("\(line)\r\n".utf8).withUnsafeBytes {
                        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    silent.withLock { $0.append(client) }
                    continue
                }
                let other = ServerProcess.makeSocket()
                if var keptBytes {
                    setsockopt(other, SOL_SOCKET, SO_RCVBUF, &keptBytes, socklen_t(MemoryLayout<Int32>.size))
                }
                var address = ServerProcess.loopback(port: UInt16(server))
                let status = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                guard status == 0 else {
                    close(client)
                    continue
                }
                Thread.detachNewThread { SlowLine.carry(from: client, to: other) }
                Thread.detachNewThread { SlowLine.carry(from: other, to: client, bytesPerSecond) }
            }
        }
    }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for client in silent.withLock({ $0 }) { close(client) }
    }

    /// Carries bytes until one side has closed; then the other side is closed as well.
    private static func carry(from source: Int32, to target: Int32, _ bytesPerSecond: Int? = nil) {
        var bytes = [UInt8](repeating: 0, count: bytesPerSecond.map { max(1, $0 / 50) } ?? 65_536)
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0 else { break }
            if let bytesPerSecond { usleep(UInt32(count * 1_000_000 / bytesPerSecond)) }
            var sent = 0
            while sent < count {
                // Without a signal if the other side has closed.
                let more = bytes[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { break }
                sent += more
            }
            guard sent == count else { break }
        }
        shutdown(target, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
    }
}
