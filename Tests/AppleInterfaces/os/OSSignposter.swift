// Declarations of Apple's signposts, as far as the library uses them.

public struct OSSignposter: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public var isEnabled: Bool { fatalError() }
    public func makeSignpostID() -> OSSignpostID { fatalError() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        fatalError()
    }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
}

public struct OSSignpostID: Sendable {
    public static let exclusive = OSSignpostID()
}

public final class OSSignpostIntervalState: Sendable {}
