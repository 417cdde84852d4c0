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

    /// A server with a certificate.
    ///
    /// - Parameter clients: whose certificate clients need; nil if they need none.
    private func server(
        _ engine: Engine, _ certificate: Certificate, clients: Certificate? = nil
    ) throws -> any TestServer {
        if engine == .nats {
            let proof = clients.map { ", ca_file: \"\($0.file)\", verify: true" } ?? ""
            return try NATSServer(
                settings: "tls { cert_file: \"\(certificate.file)\", key_file: \"\(certificate.key)\"\(proof) }")
        }
        var settings = ["ssl=on", "ssl_cert_file=\(certificate.file)", "ssl_key_file=\(certificate.key)"]
        if let clients {
            let rules = certificate.folder.appending(path: "rules")
            try Data("local all all trust\nhostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n".utf8).write(
                to: rules)
            settings += ["ssl_ca_file=\(clients.file)", "hba_file=\(rules.path)"]
        }
        return try PostgresServer(settings: settings)
    }

    /// The address for a client that trusts a certificate.
    private func url(of server: any TestServer, _ engine: Engine, _ trusted: Certificate) -> String {
        engine == .nats
            ? server.url.replacing("nats://", with: "tls://") + "?ca=\(trusted.file)"
            : server.url + "?sslmode=verify-full&sslrootcert=\(trusted.file)"
    }

    @Test(arguments: Engine.servers)
    func anEncryptedConnectionNeedsACertificateThatIsTrusted(engine: Engine) async throws {
        let (right, wrong) = (try Certificate(), try Certificate())
        defer {
            right.remove()
            wrong.remove()
        }
        let server = try server(engine, right)
        defer { server.end() }
        let log = try engine.open(url(of: server, engine, right), list: "list")
        let entries = LogPosition.beginning.entries("secret")
        #expect(try await log.append(entries, after: .beginning) == .appended)
        #expect(try await log.all() == entries)
        await log.close()
        let other = try engine.open(url(of: server, engine, wrong), list: "list", timeout: .seconds(2))
        await #expect(throws: SharedLogError.self) { _ = try await other.all() }
        await other.close()
    }

    @Test(arguments: Engine.servers)
    func aServerThatAsksForACertificateOfTheClientGetsIt(engine: Engine) async throws {
        let own = try Certificate()
        let (client, other) = (try Certificate(isOfServer: false), try Certificate(isOfServer: false))
        defer { for certificate in [own, client, other] { certificate.remove() } }
        let server = try server(engine, own, clients: client)
        defer { server.end() }
        func open(_ certificate: Certificate?) throws -> any SharedLog {
            let names = engine == .nats ? ("cert", "key") : ("sslcert", "sslkey")
            let proof = certificate.map { "&\(names.0)=\($0.file)&\(names.1)=\($0.key)" } ?? ""
            return try engine.open(url(of: server, engine, own) + proof, list: "list", timeout: .seconds(2))
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
