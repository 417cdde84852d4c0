import Foundation
import LogServers
import Testing

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
        try holder.run()
        let line = output.fileHandleForReading.availableData
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let port = try #require(UInt16(text))
        #expect(accepts(port))
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        try await eventually { if accepts(port) { throw TestFailure("the server still runs") } }
        withExtendedLifetime(input) {}
    }

    private func accepts(_ port: UInt16) -> Bool {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
