// What was asked for: a limit for a median or for a ratio to a peer.

/// What a figure should be.
public struct Target: Sendable {
    /// What is compared with the limit.
    public enum Subject: String, Encodable, Sendable {
        case median
        case ratio
    }

    public let subject: Subject
    public let limit: Double
    /// Whether the limit is the most or the least that is good.
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
