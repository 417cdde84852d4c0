// A small program for tests that need a second process: it holds a reader or a lock until it is killed, grows the map, forks, and
// opens damaged files in a child process, which may crash.
//
// Always holds: it has one thread, so that it can fork; it prints one line for each answer.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import LMDB

@main
struct LMDBTestHelper {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "hold-writer": try holdWriter(arguments[2])
        case "hold-reader": try holdReader(arguments[2])
        case "hold-byte": holdByte(arguments[2], Int(arguments[3])!)
        case "read-unprivileged": try readUnprivileged(arguments[2])
        case "write": try write(arguments[2], mapSize: Int(arguments[3])!, values: Int(arguments[4])!)
        case "open": open(arguments[2])
        case "print": try write(arguments[2], closing: arguments[3])
        case "fork": try ForkProbe.run(arguments[2])
        case "scan": try DamageProbe.run(Array(arguments[2...]), gate: .full)
        case "scan-without-gate": try DamageProbe.run(Array(arguments[2...]), gate: .off)
        default: exit(64)
        }
    }

    /// Holds a snapshot until standard input ends or the process is killed.
    static func holdReader(_ path: String) throws {
        let environment = try Environment.open(path: path)
        let transaction = try environment.beginRead()
        answer("reading")
        _ = readLine()
        transaction.abort()
    }

    /// Holds the lock of the write transaction until standard input ends or the process is killed.
    static func holdWriter(_ path: String) throws {
        let environment = try Environment.open(path: path)
        let transaction = try environment.beginWrite()
        answer("writing")
        _ = readLine()
        transaction.abort()
    }

    /// Holds the lock on a byte of a file until standard input ends or the process is killed.
    static func holdByte(_ path: String, _ byte: Int) {
        let descriptor = Platform.openShared(path, mode: 0o600)!
        answer(Platform.setByteLock(descriptor, at: byte, isTaken: true) ? "holding" : "refused")
        _ = readLine()
    }

    /// Closes standard descriptors, opens a file, and prints all the same.
    static func write(_ path: String, closing numbers: String) throws {
        for number in numbers { close(Int32(String(number))!) }
        let environment = try Environment.open(path: path)
        let rows = try environment.openDatabase(named: "rows", of: UInt64.self, [UInt8].self, create: true)
        try environment.write { try $0.put([1, 2, 3], forKey: 1, in: rows) }
        let text = String(repeating: "printed ", count: 2_000)
        for number in [STDOUT_FILENO, STDERR_FILENO] { send(text, to: number) }
        try environment.close()
    }

    /// Reads a file in a folder where it may not write.
    static func readUnprivileged(_ path: String) throws {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/")!))
        // Root has all permissions, so the process changes to another user.
        chmod(folder, 0o555)
        chmod(path, 0o444)
        chmod(path + "-lock", 0o000)
        if geteuid() == 0 { _ = setuid(65_534) }
        defer { chmod(folder, 0o755) }
        var options = Environment.Options()
        options.isReadOnly = true
        do {
            let environment = try Environment.open(path: path, options: options)
            let database = try environment.openDatabase(named: "texts", of: UInt64.self, String.self)
            answer("read \(try environment.read { try $0.get(1, in: database) } ?? "nothing")")
        } catch let error as LMDBError {
            answer("refused \(error.code?.rawValue ?? 0)")
        }
    }

    /// Opens a file, and prints the outcome.
    static func open(_ path: String) {
        do {
            try Environment.open(path: path).close()
            answer("opened")
        } catch {
            answer("\(error.code.map { "\($0.rawValue)" } ?? "\(error)")")
        }
    }

    /// Writes values of 64 KiB, so that the map must grow.
    static func write(_ path: String, mapSize: Int, values: Int) throws {
        var options = Environment.Options()
        options.mapSize = mapSize
        let environment = try Environment.open(path: path, options: options)
        let database = try environment.openDatabase(
            named: "other", of: UInt64.self, [UInt8].self, create: true
        )
        for key in 0..<UInt64(values) {
            try environment.write { txn in
                try txn.put([UInt8](repeating: 7, count: 65_536), forKey: key, in: database)
            }
        }
        answer("written")
    }
}

/// Prints a line at once.
func answer(_ line: String) {
    print(line)
    fflush(nil)
}

/// Writes text to a descriptor, whatever it is.
private func send(_ text: String, to number: Int32) { _ = write(number, text, text.utf8.count) }
