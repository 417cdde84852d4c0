// Converts an app's own identifiers to the model's and back.
//
// Always holds: `Self(id.identifier) == id`, and different ids have different identifiers.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type whose values identify rows or sections in a store: integers, UUIDs and strings do.
///
/// An enumeration of strings only has to declare the conformance:
///
/// ```swift
/// enum Day: String, IdentifierConvertible { case today, tomorrow }
/// ```
public protocol IdentifierConvertible: Hashable, Sendable {
    /// The identifier as the store stores it.
    var identifier: UntypedID { get }

    /// The value of a stored identifier; nil if there is none.
    init?(_ identifier: UntypedID)
}

extension UntypedID: IdentifierConvertible {
    public var identifier: UntypedID { self }
    public init?(_ identifier: UntypedID) { self = identifier }
}

extension IdentifierConvertible where Self: FixedWidthInteger {
    /// The integer. All conforming integer types fit into a signed 64-bit integer.
    public var identifier: UntypedID { .integer(Int64(self)) }

    public init?(_ identifier: UntypedID) {
        guard case .integer(let value) = identifier, let exact = Self(exactly: value) else { return nil }
        self = exact
    }
}

extension Int: IdentifierConvertible {}
extension Int64: IdentifierConvertible {}
extension Int32: IdentifierConvertible {}
extension UInt32: IdentifierConvertible {}

extension String: IdentifierConvertible {
    public var identifier: UntypedID { .string(self) }

    public init?(_ identifier: UntypedID) {
        guard case .string(let value) = identifier else { return nil }
        self = value
    }
}

extension UUID: IdentifierConvertible {
    public var identifier: UntypedID { .uuid(self) }

    public init?(_ identifier: UntypedID) {
        guard case .uuid(let value) = identifier else { return nil }
        self = value
    }
}

extension RawRepresentable where RawValue: IdentifierConvertible {
    public var identifier: UntypedID { rawValue.identifier }

    public init?(_ identifier: UntypedID) {
        guard let rawValue = RawValue(identifier) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension IdentifierConvertible {
    /// The value of a stored identifier.
    package static func reading(_ identifier: UntypedID, _ what: String) throws -> Self {
        guard let value = Self(identifier) else {
            throw ListError.unreadable(what: what, expected: "\(Self.self)", found: identifier.description)
        }
        return value
    }
}
