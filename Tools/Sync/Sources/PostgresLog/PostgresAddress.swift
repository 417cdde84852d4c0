import CLibpq
import Foundation
import SharedLog

/// The address of a PostgreSQL server, as libpq understands it.
struct PostgresAddress: Sendable {
    /// Names and values for `PQconnectdbParams`.
    let parameters: [(name: String, value: String)]
    /// What must not be in a message.
    let secrets: [String]

    init(_ url: String, connectTimeout: Duration) throws {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
            throw SharedLogError.invalidAddress(reason: "it does not begin with postgresql://")
        }
        guard !url.utf8.contains(0), let options = PQconninfoParse(url, nil) else {
            // libpq's message quotes the part that it does not understand, which may be a part of the password.
            throw SharedLogError.invalidAddress(reason: "libpq does not understand it")
        }
        defer { PQconninfoFree(options) }
        var given: [(name: String, value: String)] = []
        var secrets: [String] = []
        var index = 0
        while let keyword = options[index].keyword {
            if let value = options[index].val {
                let name = String(cString: keyword)
                given.append((name, String(cString: value)))
                // libpq marks the parameters that should not be shown.
                if options[index].dispchar.map({ $0.pointee == UInt8(ascii: "*") }) == true || name == "password" {
                    secrets.append(String(cString: value))
                }
            }
            index += 1
        }
        // libpq looks at the ports when it connects, which would then fail again and again.
        for (name, value) in given where name == "port" {
            guard value.split(separator: ",").allSatisfy({ UInt16($0) ?? 0 > 0 }) else {
                throw SharedLogError.invalidAddress(reason: "a port is not a number from 1 to 65535")
            }
        }
        func isGiven(_ name: String) -> Bool { given.contains { $0.name == name } }
        var defaults = [
            // For each of the hosts. libpq takes whole seconds.
            ("connect_timeout", String(max(2, connectTimeout.components.seconds))),
            ("fallback_application_name", "listory"),
            // Of several hosts, the one that can be written to: after a standby has taken over, it is another one.
            ("target_session_attrs", "read-write"),
            // A connection whose server has vanished is noticed while the client waits.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
            ("client_encoding", "UTF8"),
        ]
        // Otherwise libpq would take any certificate, and none at all if somebody between says that the server has none.
        // What the environment or a service says goes before that; libpq reads it when it connects.
        let environment = ProcessInfo.processInfo.environment
        let isSetElsewhere =
            isGiven("service") || environment["PGSERVICE"] != nil || environment["PGSSLMODE"] != nil
        if !isSetElsewhere, !PostgresAddress.areHere(given) { defaults.append(("sslmode", "verify-full")) }
        parameters = given + defaults.filter { !isGiven($0.0) }
        self.secrets = secrets
    }

    /// Whether all hosts are this machine, as far as they are named. For a socket of this machine, libpq does not look at `sslmode`.
    private static func areHere(_ given: [(name: String, value: String)]) -> Bool {
        // The numeric address is where libpq connects to; then the name is only compared with the certificate.
        guard let hosts = (given.first { $0.name == "hostaddr" } ?? given.first { $0.name == "host" })?.value else {
            return false
        }
        return hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { isLoopback($0) }
    }
}
