// A target: a limit for a median or for a ratio to a peer.

/// The target of a figure.
public struct Target: Sendable {
    /// The value that is compared with the limit.
    public enum Subject: String, Encodable, Sendable {
        case median
        case ratio
    }

    public let subject: Subject
    public let limit: Double
    /// Whether the limit is an upper or a lower one.
    public let isUpperLimit: Bool

    /// The median is at most this.
    public static func median(atMost limit: Double) -> Target {
        Target(subject: .median, limit: limit, isUpperLimit: true)
    }

    /// The median is at least this.
    public static func median(atLeast limit: Double) -> Target {
        Target(subject: .median, limit: limit, isUpperLimit: false)
    }

    /// The ratio to the peer is at most this.
    public static func ratio(atMost limit: Double) -> Target {
        Target(subject: .ratio, limit: limit, isUpperLimit: true)
    }

    /// The ratio to the peer is at least this.
    public static func ratio(atLeast limit: Double) -> Target {
        Target(subject: .ratio, limit: limit, isUpperLimit: false)
    }

    public func isMet(by value: Double) -> Bool { isUpperLimit ? value <= limit : value >= limit }
}
