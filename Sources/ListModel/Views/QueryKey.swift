// Sort keys of a derived view: computed once, compared often.
//
// Always holds: `compare` is a total order, unless the `<` of an app's own type is not; an absent key comes after all
// others.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sort key of a row or a group.
///
/// The usual types of keys are kept as they are; any other comparable type is kept in a box.
///
/// ```swift
/// let key = QueryKey.several([.text("Milk"), .integer(3)])
/// ```
public enum QueryKey: Sendable {
    /// No key. It comes last in ascending and in descending order.
    case absent
    /// A 64-bit integer.
    case integer(Int64)
    /// A number. NaN comes after all others in ascending order.
    case number(Double)
    /// A moment.
    case date(Date)
    /// A text, in the order of Swift's `String`: Unicode, the same in every locale.
    case text(String)
    /// A value of any other comparable type.
    case other(Boxed)
    /// Several keys; the first that differ decide.
    indirect case several([QueryKey])

    /// A comparable value of any type.
    public class Boxed: @unchecked Sendable {
        // @unchecked Sendable: the one subclass holds one value that never changes, and that is sendable.
        fileprivate init() {}
        fileprivate func compare(_ other: Boxed) -> Int { compareTypes(other) }
        fileprivate var text: String { "" }

        /// Compares values of two types, which have no order of their own: all values of one type come first. Which
        /// type that is does not matter, but it stays the same in a process. Keys of two types are never equal: the
        /// view would then leave a row in its old place when the type of its key changes.
        fileprivate final func compareTypes(_ other: Boxed) -> Int {
            let (left, right) = (ObjectIdentifier(type(of: self)), ObjectIdentifier(type(of: other)))
            return left < right ? -1 : right < left ? 1 : 0
        }
    }

    private final class Box<Value: Comparable & Sendable>: Boxed, @unchecked Sendable {
        private let value: Value

        init(_ value: Value) { self.value = value }

        override var text: String { "\(value)" }

        override func compare(_ other: Boxed) -> Int {
            guard let other = other as? Box<Value> else { return compareTypes(other) }
            return value < other.value ? -1 : other.value < value ? 1 : 0
        }
    }

    /// The key for a value.
    public init(_ value: some Comparable & Sendable) {
        switch value {
        case let value as Int: self = .integer(Int64(value))
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .number(value)
        case let value as Float: self = .number(Double(value))
        case let value as String: self = .text(value)
        case let value as Date: self = .date(value)
        default: self = QueryKey.half(value) ?? .other(Box(value))
        }
    }

    /// The key of a number of 16 bits, where there are such; nil for any other value.
    private static func half(_ value: some Sendable) -> QueryKey? {
        #if (os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64)
        nil
        #else
        (value as? Float16).map { .number(Double($0)) }
        #endif
    }
}

// MARK: - Comparing

extension QueryKey {
    /// Compares two keys in ascending order: less than 0 if this one comes first, 0 if they are equal.
    ///
    /// - Parameter descending: which components are in descending order; a key that is not `several` is component 0.
    @inline(__always)
    func compare(_ other: QueryKey, descending: [Bool]) -> Int {
        guard case .several(let left) = self, case .several(let right) = other else {
            return compare(other, isDescending: descending.first ?? false)
        }
        for index in 0..<min(left.count, right.count) {
            let isDescending = index < descending.count && descending[index]
            let result = left[index].compare(right[index], isDescending: isDescending)
            if result != 0 { return result }
        }
        return left.count - right.count
    }

    private func compare(_ other: QueryKey, isDescending: Bool) -> Int {
        // An absent key is last in both directions.
        switch (self, other) {
        case (.absent, .absent): return 0
        case (.absent, _): return 1
        case (_, .absent): return -1
        default: return isDescending ? other.compare(self) : compare(other)
        }
    }

    private func compare(_ other: QueryKey) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.number(let left), .number(let right)): QueryKey.compare(left, right)
        case (.date(let left), .date(let right)):
            QueryKey.compare(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        case (.text(let left), .text(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.other(let left), .other(let right)): left.compare(right)
        case (.several, .several): compare(other, descending: [])
        default: rank - other.rank
        }
    }

    private static func compare(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0)
    }

    /// The order of keys of different kinds.
    private var rank: Int {
        switch self {
        case .integer: 0
        case .number: 1
        case .date: 2
        case .text: 3
        case .other: 4
        case .several: 5
        case .absent: 6
        }
    }
}

// MARK: - For people

extension QueryKey: CustomStringConvertible {
    /// The value: `3`, `"Milk"`, `none`; several with commas between them.
    public var description: String {
        switch self {
        case .absent: "none"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .date(let value): "\(Timestamp(value))"
        case .text(let value): "\"\(value)\""
        case .other(let value): value.text
        case .several(let keys): keys.map(\.description).joined(separator: ", ")
        }
    }
}

extension UntypedID {
    /// Compares two identifiers: integers first, then UUIDs, then strings by their bytes.
    func compare(_ other: UntypedID) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.uuid(let left), .uuid(let right)):
            withUnsafeBytes(of: left.uuid) { left in
                withUnsafeBytes(of: right.uuid) { right in
                    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
                }
            }
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
                ? -1 : right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
        case (.integer, _), (.uuid, .string): -1
        default: 1
        }
    }
}
