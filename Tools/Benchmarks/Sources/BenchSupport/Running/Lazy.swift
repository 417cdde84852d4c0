// A value that is made when it is first needed, so that a list for unwanted figures is never built.

/// Makes its value once, on demand.
public final class Lazy<Value> {
    private let make: () throws -> Value
    private var made: Value?

    public init(_ make: @escaping () throws -> Value) { self.make = make }

    /// The value.
    public var value: Value {
        get throws {
            if let made { return made }
            let value = try make()
            made = value
            return value
        }
    }
}
