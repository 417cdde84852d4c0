// The number of a state. Always holds: version n is the state after n commits, version 0 is the empty list.

/// The state of a list after a commit.
///
/// Versions count commits: the first commit of a log makes version 1, and ``empty`` is the list before it. A range of them can be
/// walked through:
///
/// ```swift
/// for version in store.oldestVersion...(try store.version) { print(try store.snapshot(at: version)) }
/// ```
public struct Version: Hashable, Comparable, Strideable, Sendable, Codable {
    /// How many commits led to this state.
    public let rawValue: UInt64

    /// The version after `rawValue` commits.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The empty list, before any commit.
    public static let empty = Version(0)

    /// The version that the next commit makes.
    public var next: Version { Version(rawValue + 1) }

    /// The version before this one. Only ``empty`` has none.
    package var previous: Version { Version(rawValue - 1) }

    public static func == (left: Version, right: Version) -> Bool { left.rawValue == right.rawValue }

    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }

    /// How many commits another version is after this one; negative if it is before.
    public func distance(to other: Version) -> Int {
        self <= other ? Int(other.rawValue - rawValue) : -Int(rawValue - other.rawValue)
    }

    /// The version so many commits after this one, or before it if `count` is negative. None is before ``empty``.
    public func advanced(by count: Int) -> Version {
        Version(count < 0 ? rawValue - UInt64(count.magnitude) : rawValue + UInt64(count))
    }

    /// Decodes a plain number.
    ///
    /// - Throws: `DecodingError` for a number that no version of a list can have, 2⁴⁸ or more; and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        rawValue = try container.decode(UInt64.self)
        guard rawValue < Limits.versions else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a version is below \(Limits.versions), not \(rawValue)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Version: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The version after as many commits as the literal says.
    public init(integerLiteral value: UInt64) { self.init(value) }

    public var description: String { String(rawValue) }
}
