// What was asked for: a limit for a median or for a ratio to a peer.

/// What a figure should be.
struct Target {
    /// What is compared with the limit.
    enum Subject: String, Encodable {
        case median
        case ratio
    }

    let subject: Subject
    let limit: Double
    /// Whether the limit is the most or the least that is good.
    let isUpperLimit: Bool

    /// The median is at most this.
    static func median(atMost limit: Double) -> Target {
        Target(subject: .median, limit: limit, isUpperLimit: true)
    }

    /// The median is at least this.
    static func median(atLeast limit: Double) -> Target {
        Target(subject: .median, limit: limit, isUpperLimit: false)
    }

    /// The ratio to the peer is at most this.
    static func ratio(atMost limit: Double) -> Target {
        Target(subject: .ratio, limit: limit, isUpperLimit: true)
    }

    /// The ratio to the peer is at least this.
    static func ratio(atLeast limit: Double) -> Target {
        Target(subject: .ratio, limit: limit, isUpperLimit: false)
    }

    func isMet(by value: Double) -> Bool { isUpperLimit ? value <= limit : value >= limit }
}
