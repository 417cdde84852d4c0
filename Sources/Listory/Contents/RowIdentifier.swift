// The identifiers of an app's rows and sections, and their conversion to those of a store and back.
//
// Always holds: `Self(untypedID: id.untypedID) == id`, different ids have different untyped ids, and all of a type are of one kind.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type whose values identify sections: a ``RowIdentifier``, or an enumeration of strings or integers.
///
/// An enumeration only has to declare the conformance:
///
/// ```swift
/// enum Day: String, SectionIdentifier { case today, tomorrow }
/// ```
///
/// If the list has a section for which the enumeration has no case, because a newer version of the app made it, a snapshot cannot
/// be made, and an error says so.
public protocol SectionIdentifier: Hashable, Sendable {
    /// The kind of all its untyped ids. It is written into the store, and checked when the store is opened.
    static var kind: UntypedID.Kind { get }

    /// Whether there is a value for each untyped id of the kind. Then snapshots need not look at the sections.
    static var coversItsKind: Bool { get }

    /// The identifier as the store stores it.
    var untypedID: UntypedID { get }

    /// The value of a stored identifier; nil if there is none.
    init?(untypedID: UntypedID)
}

/// A type whose values identify rows, and sections: an integer, a `UUID` or a string, or a type of the app's that wraps one.
///
/// ```swift
/// struct TodoID: RowIdentifier {
///     var uuid: UUID
///     static let kind = UntypedID.Kind.uuid
///     var untypedID: UntypedID { uuid.untypedID }
///     init(untypedID: UntypedID) { uuid = UUID(untypedID: untypedID) }
/// }
/// ```
public protocol RowIdentifier: SectionIdentifier {
    /// The value of a stored identifier.
    ///
    /// No store with ids of another kind can be opened, so this is called with one only for a row that another device has made with another
    /// type of ids, or in a file that was forged. Then any value will do; those of the conforming types of this library are made of a hash.
    init(untypedID: UntypedID)
}

extension SectionIdentifier {
    public static var coversItsKind: Bool { false }
}

extension RowIdentifier {
    public static var coversItsKind: Bool { true }
}

// MARK: - Integers, UUIDs, strings

extension Int: RowIdentifier {
    public static var kind: UntypedID.Kind { .integer }
    public var untypedID: UntypedID { .integer(Int64(self)) }
    public init(untypedID: UntypedID) { self.init(truncatingIfNeeded: Int64(untypedID: untypedID)) }
}

extension Int64: RowIdentifier {
    public static var kind: UntypedID.Kind { .integer }
    public var untypedID: UntypedID { .integer(self) }

    public init(untypedID: UntypedID) {
        guard case .integer(let value) = untypedID else {
            self.init(bitPattern: untypedID.hash64)
            return
        }
        self = value
    }
}

extension String: RowIdentifier {
    public static var kind: UntypedID.Kind { .string }
    public var untypedID: UntypedID { .string(self) }

    public init(untypedID: UntypedID) {
        guard case .string(let value) = untypedID else {
            self.init(untypedID.hash64, radix: 16)
            return
        }
        self = value
    }
}

extension UUID: RowIdentifier {
    public static var kind: UntypedID.Kind { .uuid }
    public var untypedID: UntypedID { .uuid(self) }

    public init(untypedID: UntypedID) {
        guard case .uuid(let value) = untypedID else {
            let words = (untypedID.hash64.littleEndian, UInt64(0))
            self.init(uuid: withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) })
            return
        }
        self = value
    }
}

// MARK: - Enumerations

extension SectionIdentifier where Self: RawRepresentable, RawValue: RowIdentifier {
    public static var kind: UntypedID.Kind { RawValue.kind }
    public var untypedID: UntypedID { rawValue.untypedID }
    public init?(untypedID: UntypedID) { self.init(rawValue: RawValue(untypedID: untypedID)) }
}

extension SectionIdentifier {
    /// The value of a stored identifier of a section.
    ///
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if an enumeration has no case for it.
    static func reading(_ id: UntypedID) throws(ListError) -> Self {
        guard let value = Self(untypedID: id) else {
            throw ListError.unreadable(
                what: "identifier of a section", expected: "one of \(Self.self)", found: id.description)
        }
        return value
    }
}
