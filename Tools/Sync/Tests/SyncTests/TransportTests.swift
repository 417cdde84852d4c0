// Tests connections that are encrypted: with the certificate that the client trusts, and with another one; and the same for a server that
// asks for a certificate of the client. And which connections have to be.

import Foundation
import LogServers
import SharedLog
import Testing

@testable import NATSLog
@testable import PostgresLog

@Suite struct TransportTests {
    /// A certificate that signs itself, and its key.
    private struct Certificate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "listory-tls-\(UUID().uuidString)")
        var file: String { folder.appending(path: "certificate.pem").path }
        var key: String { folder.appending(path: "key.pem").path }

        /// - Parameters:
        ///   - host: whose it is; nil for this machine.
        ///   - isOfServer: whether a server is to read the key.
        init(of host: String? = nil, isOfServer: Bool = true) throws {
            let (name, other) = host.map { ($0, "DNS:\($0)") } ?? ("127.0.0.1", "IP:127.0.0.1")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try ServerProcess.run(
                [
                    "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                    "/CN=\(name)", "-addext", "subjectAltName=\(other)", "-keyout", key, "-out", file,
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
    func aTrustedCertificateOfAnotherHostIsRefused(engine: Engine) async throws {
        let other = try Certificate(of: "other.example")
        defer { other.remove() }
        let server = try server(engine, other)
        defer { server.end() }
        let log = try engine.open(url(of: server, engine, other), list: "list", timeout: .seconds(2))
        do {
            _ = try await log.all()
            Issue.record("the certificate of another host is accepted")
        } catch SharedLogError.unavailable(let cause) {
            #expect(cause.contains("does not match") || cause.contains("mismatch"), "\(cause)")
        }
        await log.close()
    }

    @Test func aPostgreSQLServerWithoutTLSSaysWhatToDo() async throws {
        let url = try SharedServers.postgres.get().url + "?sslmode=require"
        let log = try Engine.postgres.open(url, list: "list")
        do {
            _ = try await log.end()
            Issue.record("nothing is encrypted")
        } catch SharedLogError.invalidAddress(let reason) {
            #expect(reason.contains("add sslmode="), "\(reason)")
        }
        await log.close()
    }

    @Test func anAddressWithoutWhatACertificateIsComparedWithSaysWhatToDo() async throws {
        let own = try Certificate()
        defer { own.remove() }
        let server = try server(.postgres, own)
        defer { server.end() }
        let url = server.url + "?sslmode=verify-full&sslrootcert=\(own.file)"
        for (url, hint) in [
            (url + ".missing", "add sslrootcert="),
            (url.replacing("127.0.0.1", with: "") + "&hostaddr=127.0.0.1", "add host="),
        ] {
            let log = try Engine.postgres.open(url, list: "list")
            do {
                _ = try await log.end()
                Issue.record("any certificate is trusted")
            } catch SharedLogError.invalidAddress(let reason) {
                #expect(reason.contains(hint), "\(reason)")
            }
            await log.close()
        }
    }

    /// nats.c would wait for ever.
    @Test(.timeLimit(.minutes(10)))
    func aServerThatFallsSilentInTheHandshakeBlocksNothing() async throws {
        let own = try Certificate()
        defer { own.remove() }
        let server = try #require(try server(.nats, own) as? NATSServer)
        defer { server.end() }
        let (line, silent) = (
            try SlowLine(to: server.port, silentCount: 1), try SlowLine(to: server.port, silentCount: .max)
        )
        defer {
            line.end()
            silent.end()
        }
        let logs = try [line, silent].map { line in
            try Engine.nats.open("tls://127.0.0.1:\(line.port)?ca=\(own.file)", list: "list")
        }
        for log in logs {
            do {
                _ = try await log.end()
                Issue.record("there is an end without a server")
            } catch SharedLogError.unavailable {}
        }
        await logs[1].close()
        // The first attempt may hang for ever, and another one succeeds.
        #expect(try await eventually(within: 120) { try await logs[0].end() } == .beginning)
        await logs[0].close()
    }

    /// nats.c tries one server after another, in any order, and would not come to those behind it.
    @Test(.timeLimit(.minutes(10)))
    func aServerThatIsSilentDoesNotHoldUpTheOthers() async throws {
        let own = try Certificate()
        defer { own.remove() }
        let server = try #require(try server(.nats, own) as? NATSServer)
        defer { server.end() }
        let line = try SlowLine(to: server.port, silentCount: .max)
        defer { line.end() }
        for _ in 0..<4 {
            let url = "tls://127.0.0.1:\(line.port),tls://127.0.0.1:\(server.port)?ca=\(own.file)"
            let log = try Engine.nats.open(url, list: "list")
            #expect(try await log.end() == .beginning)
            await log.close()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func theChangesOfALogThatIsReleasedEndAlthoughAnAttemptToConnectHangs() async throws {
        let line = try SlowLine(to: 1, silentCount: .max)
        defer { line.end() }
        func changes() async throws -> AsyncStream<Void> {
            let log = try Engine.nats.open("tls://127.0.0.1:\(line.port)", list: "list")
            await #expect(throws: SharedLogError.self) { _ = try await log.end() }
            return log.changes()
        }
        for await _ in try await changes() {}
    }

    @Test func aPostgreSQLServerOnAnotherMachineHasToProveItsName() throws {
        for (url, mode) in [
            ("postgresql://anna@example.org/lists", "verify-full"), ("postgresql:///lists", "verify-full"),
            ("postgresql://127.0.0.1,example.org/lists", "verify-full"),
            ("postgresql://127.0.0.1.example.org/lists", "verify-full"),
            ("postgresql://localhost/lists?hostaddr=192.0.2.1", "verify-full"),
            ("postgresql://example.org/lists?sslmode=require", "require"),
            // The service may say something else.
            ("postgresql://example.org/lists?service=ours", nil),
            ("postgresql://127.0.0.1:5433,[::1],localhost/lists", nil), ("postgresql://127.8.0.1/lists", nil),
            ("postgresql://example.org/lists?hostaddr=127.0.0.1", nil),
        ] as [(String, String?)] {
            let address = try PostgresAddress(url, connectTimeout: .seconds(3))
            let found = address.parameters.first { $0.name == "sslmode" }
            #expect(found?.value == mode, "\(url)")
        }
    }

    @Test func credentialsOfNATSAreNotSentInPlainTextToAnotherMachine() throws {
        for url in [
            "nats://anna:hush@example.org", "nats://hush@127.0.0.1.example.org:4222", "nats://example.org?creds=/a",
            "nats://anna:hush@127.0.0.1,nats://[fe80::1]:4222", "tls://example.org?tls=no",
            "nats://example.org?tls=yes",
        ] {
            do {
                _ = try NATSAddress(url)
                Issue.record("\(url) is accepted")
            } catch { #expect(!"\(error)".contains("hush"), "\(error)") }
        }
        for url in [
            "tls://anna:hush@example.org", "nats://anna:hush@example.org?ca=/a", "nats://anna:hush@example.org?tls=no",
            "nats://anna:hush@localhost:4222,nats://[::1]:4222", "nats://127.0.0.1?creds=/a", "nats://example.org",
        ] { _ = try NATSAddress(url) }
    }

    @Test func serversOfNATSWithoutALoginGetThatOfTheFirstWithOne() throws {
        for (url, servers) in [
            ("nats://anna:hush@a,nats://b:1", ["nats://anna:hush@a", "nats://anna:hush@b:1"]),
            ("nats://a,nats://hush@b,nats://bert:hush@c", ["nats://hush@a", "nats://hush@b", "nats://bert:hush@c"]),
            ("nats://a,nats://b", ["nats://a", "nats://b"]),
        ] { #expect(try NATSAddress(url + "?tls=no").servers == servers) }
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
