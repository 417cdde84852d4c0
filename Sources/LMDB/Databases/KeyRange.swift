// A range of keys, by their bytes.
//
// Always holds: bounds are compared by their encoded bytes, as LMDB does. A range whose bounds cross is empty.

/// Which keys a scan visits.
///
/// Swift's ranges become key ranges on their own: `txn.forEach(in: log, range: 10..<20)`. For types that are not
/// `Comparable`, give the bounds: `KeyRange(lower: .including(prefix), upper: .unbounded)`.
public struct KeyRange<Key: DatabaseCodable> {
    /// One end of a range.
    public enum Bound {
        /// The range goes on to the first or last key.
        case unbounded
        /// The key is in the range, if it is there.
        case including(Key)
        /// The key is not in the range.
        case excluding(Key)
    }

    /// The end with the lesser keys.
    public let lower: Bound
    /// The end with the greater keys.
    public let upper: Bound

    /// Makes a range.
    ///
    /// - Parameters:
    ///   - lower: The end with the lesser keys.
    ///   - upper: The end with the greater keys.
    public init(lower: Bound = .unbounded, upper: Bound = .unbounded) {
        self.lower = lower
        self.upper = upper
    }
}

extension KeyRange: Sendable where Key: Sendable {}
extension KeyRange.Bound: Sendable where Key: Sendable {}

/// A range that can be scanned: Swift's ranges, and ``KeyRange`` itself.
public protocol KeyRangeConvertible<Key> {
    /// The type of the keys.
    associatedtype Key: DatabaseCodable
    /// The range of keys.
    var keyRange: KeyRange<Key> { get }
}

extension KeyRange: KeyRangeConvertible {
    /// Itself.
    public var keyRange: KeyRange<Key> { self }
}

extension Range: KeyRangeConvertible where Bound: DatabaseCodable {
    /// From the lower bound up to, and without, the upper.
    public var keyRange: KeyRange<Bound> {
        KeyRange(lower: .including(lowerBound), upper: .excluding(upperBound))
    }
}

extension ClosedRange: KeyRangeConvertible where Bound: DatabaseCodable {
    /// From the lower bound through the upper.
    public var keyRange: KeyRange<Bound> {
        KeyRange(lower: .including(lowerBound), upper: .including(upperBound))
    }
}

extension PartialRangeFrom: KeyRangeConvertible where Bound: DatabaseCodable {
    /// From the bound to the last key.
    public var keyRange: KeyRange<Bound> { KeyRange(lower: .including(lowerBound)) }
}

extension PartialRangeUpTo: KeyRangeConvertible where Bound: DatabaseCodable {
    /// From the first key up to, and without, the bound.
    public var keyRange: KeyRange<Bound> { KeyRange(upper: .excluding(upperBound)) }
}

extension PartialRangeThrough: KeyRangeConvertible where Bound: DatabaseCodable {
    /// From the first key through the bound.
    public var keyRange: KeyRange<Bound> { KeyRange(upper: .including(upperBound)) }
}
