// Tests connections that are encrypted: with the certificate that the client trusts, and with another one.

import Foundation
import LogServers
import SharedLog
import Testing

@Suite struct TransportTests {
    /// A certificate for this machine that signs itself, and its key.
    private struct Certificate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "listory-tls-\(UUID().uuidString)")
        var file: String { folder.appending(path: "certificate.pem").path }
        var key: String { folder.appending(path: "key.pem").path }

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try ServerProcess.run(
                [
                    "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file,
                ], user: nil)
            // PostgreSQL wants a key that is its user's own.
            if NSUserName() == "root" { try ServerProcess.run(["chown", "postgres", key], user: nil) }
            try ServerProcess.run(["chmod", "600", key], user: nil)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    @Test(arguments: Engine.servers)
    func anEncryptedConnectionNeedsACertificateThatIsTrusted(engine: Engine) async throws {
        let (right, wrong) = (try Certificate(), try Certificate())
        defer {
            right.remove()
            wrong.remove()
        }
        let server: any TestServer =
            if engine == .nats {
                try NATSServer(settings: "tls { cert_file: \"\(right.file)\", key_file: \"\(right.key)\" }")
            } else {
                try PostgresServer(settings: [
                    "ssl=on", "ssl_cert_file=\(right.file)", "ssl_key_file=\(right.key)",
                ])
            }
        defer { server.end() }
        func url(_ certificate: Certificate) -> String {
            engine == .nats
                ? server.url.replacing("nats://", with: "tls://") + "?ca=\(certificate.file)"
                : server.url + "?sslmode=verify-full&sslrootcert=\(certificate.file)"
        }
        let log = try engine.open(url(right), list: "list")
        let entries = LogPosition.beginning.entries("secret")
        #expect(try await log.append(entries, after: .beginning) == .appended)
        #expect(try await log.all() == entries)
        await log.close()
        let other = try engine.open(url(wrong), list: "list", timeout: .seconds(2))
        await #expect(throws: SharedLogError.self) { _ = try await other.all() }
        await other.close()
    }
}
