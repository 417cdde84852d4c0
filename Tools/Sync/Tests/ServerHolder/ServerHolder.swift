// Starts a server, prints its port, and waits to be killed, or for the end of its input.

import Foundation
import LogServers

@main
struct ServerHolder {
    static func main() throws {
        let kind = CommandLine.arguments.dropFirst().first
        if kind == "nats" {
            let server = try NATSServer()
            try wait(port: server.port, server)
        } else {
            let server = try PostgresServer()
            try wait(port: server.port, server)
        }
    }

    private static func wait(port: Int, _ server: AnyObject) throws {
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
        withExtendedLifetime(server) { _ = try? FileHandle.standardInput.readToEnd() }
    }
}
