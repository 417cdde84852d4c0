// Tests connections that are encrypted: with the certificate that the client trusts, and with another one; and the same for a server that
// asks for a certificate of the client.

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

        /// - Parameter isOfServer: whether a server is to read the key.
        init(isOfServer: Bool = true) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try ServerProcess.run(
                [
                    "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file,
                ], user: nil)
            // PostgreSQL wants a key that is its user's own.
            if isOfServer, NSUserName() == "root" { try ServerProcess.run(["chown", "postgres", key], user: nil) }
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

    @Test(arguments: Engine.servers)
    func aServerThatAsksForACertificateOfTheClientGetsIt(engine: Engine) async throws {
        let own = try Certificate()
        let (client, other) = (try Certificate(isOfServer: false), try Certificate(isOfServer: false))
        defer { for certificate in [own, client, other] { certificate.remove() } }
        let rules = own.folder.appending(path: "rules")
        try Data("local all all trust\nhostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n".utf8).write(to: rules)
        let server: any TestServer =
            if engine == .nats {
                try NATSServer(
                    settings: """
                        tls { cert_file: "\(own.file)", key_file: "\(own.key)", ca_file: "\(client.file)", verify: true }
                        """)
            } else {
                try PostgresServer(settings: [
                    "ssl=on", "ssl_cert_file=\(own.file)", "ssl_key_file=\(own.key)", "ssl_ca_file=\(client.file)",
                    "hba_file=\(rules.path)",
                ])
            }
        defer { server.end() }
        func open(_ certificate: Certificate?) throws -> any SharedLog {
            let isNATS = engine == .nats
            let url =
                isNATS
                ? server.url.replacing("nats://", with: "tls://") + "?ca=\(own.file)"
                : server.url + "?sslmode=verify-full&sslrootcert=\(own.file)"
            let names = isNATS ? ("cert", "key") : ("sslcert", "sslkey")
            let proof = certificate.map { "&\(names.0)=\($0.file)&\(names.1)=\($0.key)" } ?? ""
            return try engine.open(url + proof, list: "list", timeout: .seconds(2))
        }
        let log = try open(client)
        let entries = LogPosition.beginning.entries("secret")
        #expect(try await log.append(entries, after: .beginning) == .appended)
        #expect(try await log.all() == entries)
        await log.close()
        for certificate in [nil, other] {
            let log = try open(certificate)
            await #expect(throws: SharedLogError.self) { _ = try await log.all() }
            await log.close()
        }
    }
}
