// How long it takes until a process sees what another one edits.

/// Updates of a store, each of an edit of another process.
public struct NeighbourResult: Codable, Sendable {
    /// The seconds from the beginning of each edit, in the other process, to the arrival of its update.
    public let delays: [Double]

    public init(delays: [Double]) { self.delays = delays }

    /// The name of an edit that begins now.
    public static var nameOfEdit: String { String(MonotonicClock.now.bitPattern) }

    /// When an edit began, according to its name; nil if it says nothing.
    public static func beginning(_ name: String) -> Double? { UInt64(name).map(Double.init(bitPattern:)) }
}
