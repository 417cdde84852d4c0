import NATSLog
import PostgresLog
import SharedLog

/// The engines by their addresses.
public enum SharedLogs {
    /// The log of a list on a server: `postgresql://…` or `nats://…`.
    ///
    /// - Throws: ``SharedLogError/invalidAddress(reason:)``.
    public static func open(_ url: String, list: String) throws -> any SharedLog {
        if url.hasPrefix("postgres") { return try PostgresLog(url: url, list: list) }
        if url.hasPrefix("nats") || url.hasPrefix("tls") { return try NATSLog(url: url, list: list) }
        throw SharedLogError.invalidAddress(reason: "it begins neither with postgresql:// nor with nats://")
    }
}
