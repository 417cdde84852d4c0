// A projection as a set of functions, the same for projections with and without items.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The functions and constants of a projection.
struct ProjectionRules<Value: Sendable>: Sendable {
    let name: String
    let version: Int
    let readsRows: Bool
    let make: @Sendable () -> Value
    let seed: @Sendable (UntypedSnapshot, EventContext) throws -> Value
    let apply: @Sendable (inout Value, ListEvent, EventContext) throws -> Void
    let encode: @Sendable (Value) throws -> [UInt8]
    let decode: @Sendable (UnsafeRawBufferPointer) throws -> Value
}

extension ProjectionRules where Value: ProjectionState & SendableMetatype {
    private init(
        seed: @escaping @Sendable (UntypedSnapshot, EventContext) throws -> Value,
        apply: @escaping @Sendable (inout Value, ListEvent, EventContext) throws -> Void
    ) {
        self.init(
            name: Value.name, version: Value.version, readsRows: Value.readsRows, make: { Value() }, seed: seed,
            apply: apply, encode: { try $0.encoded() }, decode: { try Value(encoded: $0) })
    }
}

extension ProjectionRules where Value: Projection & SendableMetatype {
    /// The rules of a projection.
    static var untyped: ProjectionRules {
        ProjectionRules(
            seed: { try Value(rows: $0, in: $1) },
            apply: { value, event, context in try value.apply(event, in: context) })
    }
}

extension ProjectionRules where Value: ItemProjection & SendableMetatype {
    /// The rules of a projection of items.
    static func typed(_ coder: ContentCoder<Value.Item>) -> ProjectionRules {
        ProjectionRules(
            seed: { try Value(rows: $0, in: ItemEventContext($1, coder)) },
            apply: { value, event, context in try value.apply(event, in: ItemEventContext(context, coder)) })
    }
}

extension ProjectionState where Self: Codable {
    /// Reads the value from JSON.
    public init(encoded bytes: UnsafeRawBufferPointer) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    /// The value as JSON with sorted keys.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
