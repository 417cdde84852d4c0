// Declarations of Objective-C's own module. The compiler looks here for the type of `#selector`.

public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable {
    public init(_ name: String) {}
    public init(stringLiteral name: String) {}
}
