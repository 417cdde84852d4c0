// A server that ends with the process that started it.
//
// Its parent is a shell that waits for the end of a pipe, of which this process holds the other end. Whatever ends this process, also
// SIGKILL, closes the pipe; the shell then kills the server and removes its folder. Signals to the parent (PR_SET_PDEATHSIG) would
// not do: they are sent when the thread ends that started the server, and only on Linux.

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a server did not start.
public struct ServerError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Held while pipes are made and a program starts: a program that starts just then inherits the pipes, also those with which `Process`
/// notices the end of another one, which then seems to run as long as the heir.
package let starting = Mutex(())

/// A server that runs, as a process.
package final class ServerProcess: Sendable {
    /// The process of the server itself.
    let identifier: pid_t
    private let shell: Process
    /// Closing it ends the server.
    private let pipe: Mutex<FileHandle?>

    /// Runs a program. What it writes is appended to a file.
    ///
    /// - Parameters:
    ///   - user: who runs it; nil for the user of this process.
    ///   - removed: a folder that is removed after the server has ended.
    init(_ command: [String], user: String?, log: URL, removed: URL?) throws {
        let script = """
            "$@" </dev/null >>"$LISTORY_LOG" 2>&1 3<&- & server=$!
            echo "$server"
            exec >/dev/null
            trap '' INT TERM HUP
            read -r word
            kill -KILL "$server" 2>/dev/null
            wait "$server" 2>/dev/null
            [ "$word" = keep ] || [ -z "$LISTORY_REMOVED" ] || {
                # Children of the server may still write for a moment.
                for attempt in 1 2 3 4 5; do rm -rf "$LISTORY_REMOVED" 2>/dev/null && break; sleep 0.2; done
            }
            """
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script, "server"] + (user.map { ServerProcess.changeUser(to: $0) } ?? []) + command
        shell.environment = ProcessInfo.processInfo.environment.merging([
            "LISTORY_LOG": log.path, "LISTORY_REMOVED": removed?.path ?? "", "LC_ALL": "C",
        ]) { $1 }
        let (input, output) = try starting.withLock { _ in
            let (input, output) = try (ServerProcess.makePipe(), ServerProcess.makePipe())
            shell.standardInput = input.reading
            shell.standardOutput = output.writing
            shell.standardError = FileHandle.standardError
            // Threads of dispatch block most signals, and a program would begin with the same ones blocked: a shell would then never
            // hear that its child has ended.
            var none = sigset_t()
            var before = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            try shell.run()
            return (input, output)
        }
        try input.reading.close()
        try output.writing.close()
        let line = try output.reading.read(upToCount: 20) ?? Data()
        guard
            let identifier = pid_t(
                String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw ServerError("\(command[0]) could not be started") }
        self.identifier = identifier
        self.shell = shell
        pipe = Mutex(input.writing)
    }

    deinit { end() }

    /// A pipe that no other program inherits: it would keep the pipe open.
    private static func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var descriptors: [Int32] = [0, 0]
        guard openPipe(&descriptors) == 0 else { throw ServerError("there are no more files to open") }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (
            FileHandle(fileDescriptor: descriptors[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: descriptors[1], closeOnDealloc: true)
        )
    }

    private static func changeUser(to user: String) -> [String] {
        ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--init-groups", "--"]
    }

    /// Sends a signal to the server.
    func signal(_ signal: Int32) { kill(identifier, signal) }

    /// Lets the server stand still or go on.
    func suspend(_ suspends: Bool) {
        signal(suspends ? SIGSTOP : SIGCONT)
        // Each of its threads stops when it enters the kernel the next time.
        if suspends { usleep(100_000) }
    }

    /// Whether the server runs. It is a child of the shell, which does not collect it before this process says so.
    var isRunning: Bool {
        guard kill(identifier, 0) == 0 else { return false }
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? "R"
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    /// Sends a signal that ends the server, and waits until it has ended.
    func finish(_ signal: Int32) throws {
        self.signal(signal)
        try ServerProcess.wait(for: 20, "the server to end") { !isRunning }
    }

    /// Kills the server if it runs, and waits for it.
    ///
    /// - Parameter keepsFolder: whether its folder is needed again.
    func end(keepsFolder: Bool = false) {
        let pipe = pipe.withLock { pipe in
            defer { pipe = nil }
            return pipe
        }
        guard let pipe else { return }
        if keepsFolder { try? pipe.write(contentsOf: Data("keep\n".utf8)) }
        try? pipe.close()
        shell.waitUntilExit()
    }

    // MARK: Helpers of all servers

    /// Waits until something holds, and throws if it does not in time.
    static func wait(for seconds: Double, _ what: String, until isTrue: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while !isTrue() {
            guard Date() < deadline else { throw ServerError("waited \(seconds) s in vain for \(what)") }
            usleep(20_000)
        }
    }

    /// The ports that were returned so far.
    private static let givenPorts = Mutex<Set<UInt16>>([])

    /// A port of loopback that nobody uses at this moment, each only once. A server that is started again needs the same one, so it is none of
    /// those that systems give to outgoing connections.
    static func freePort() throws -> Int {
        for _ in 0..<1_000 {
            let port = UInt16.random(in: 20_000..<32_000)
            guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
            let descriptor = makeSocket()
            defer { close(descriptor) }
            var address = loopback(port: port)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return Int(port) }
        }
        throw ServerError("there is no free port")
    }

    /// Whether somebody accepts connections at a port of loopback.
    static func accepts(port: Int) -> Bool {
        let descriptor = makeSocket()
        defer { close(descriptor) }
        var address = loopback(port: UInt16(port))
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    package static func makeSocket() -> Int32 {
        #if canImport(Darwin)
        socket(AF_INET, SOCK_STREAM, 0)
        #else
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    package static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Runs a program to its end; throws with what it wrote if it fails.
    package static func run(_ command: [String], user: String?, environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = (user.map { changeUser(to: $0) } ?? []) + command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["LC_ALL": "C"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = try starting.withLock { _ in
            let output = try makePipe()
            process.standardOutput = output.writing
            process.standardError = output.writing
            try process.run()
            return output
        }
        try output.writing.close()
        let text = try output.reading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ServerError("\(command[0]) failed: \(String(decoding: text, as: UTF8.self).suffix(2000))")
        }
    }

    /// A program in the folders of the system, or in some others.
    static func program(_ name: String, in folders: [String]) throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for folder in path.split(separator: ":").map(String.init) + folders {
            let file = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: file) { return file }
        }
        throw ServerError("\(name) is not installed")
    }
}

/// A folder for the files of servers, which is removed when it is not used any more.
final class ServerFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "listory-server-\(UUID().uuidString)")
        // Passwords are in it.
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The function of the system; in the class above, its name means something else.
private func openPipe(_ descriptors: inout [Int32]) -> Int32 { pipe(&descriptors) }
