import Foundation
import Testing

@testable import LogServers

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct LogServersTests {
    @Test(arguments: ["postgres", "nats"])
    func aServerEndsWithTheProcessThatStartedIt(kind: String) async throws {
        let holder = Process()
        holder.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "ServerHolder")
        if !FileManager.default.isExecutableFile(atPath: holder.executableURL?.path ?? "") {
            holder.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "ServerHolder")
        }
        holder.arguments = [kind]
        let output = Pipe()
        holder.standardOutput = output
        // It ends with this process too.
        let input = Pipe()
        holder.standardInput = input
        try starting.withLock { _ in try holder.run() }
        let line = output.fileHandleForReading.availableData
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let port = try #require(Int(text))
        #expect(ServerProcess.accepts(port: port))
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        try await eventually { if ServerProcess.accepts(port: port) { throw TestFailure("the server still runs") } }
        withExtendedLifetime(input) {}
    }

    @Test func nobodyElseCanReadTheFilesOfAServerAndThePasswordIsNotAmongThem() throws {
        let server = try PostgresServer(password: "secret")
        defer { server.end() }
        let folder = server.folder.url
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "password").path))
    }
}
