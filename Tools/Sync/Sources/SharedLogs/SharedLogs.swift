import NATSLog
import PostgresLog
import SharedLog

/// The engines by their addresses.
public enum SharedLogs {
    /// The log of a list on a server: `postgresql://…`, `tls://…` or `nats://…`.
    ///
    /// - Parameter createsList: whether the list is created on the server when it is missing.
    /// - Throws: ``SharedLogError/invalidAddress(reason:)``.
    public static func open(_ url: String, list: String, createsList: Bool = true) throws -> any SharedLog {
        if url.hasPrefix("postgres") {
            var options = PostgresLog.Options()
            options.createsList = createsList
            return try PostgresLog(url: url, list: list, options: options)
        }
        if url.hasPrefix("nats") || url.hasPrefix("tls") {
            var options = NATSLog.Options()
            options.createsList = createsList
            return try NATSLog(url: url, list: list, options: options)
        }
        throw SharedLogError.invalidAddress(reason: "it begins with none of postgresql://, tls:// and nats://")
    }
}
