// A touch: which row or section a commit changed, and how. The history of a row is its touches.
//
// Always holds: a fingerprint stands for every id that has it, so a touch that was found by a fingerprint only says in which
// commit to look.

/// What a commit did to a row or a section.
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    /// A bit for each.
    public let rawValue: UInt8

    /// The kinds of some bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It came into the list: inserted, or back after it had been deleted.
    public static let inserted = ChangeKinds(rawValue: 1)
    /// It left the list.
    public static let deleted = ChangeKinds(rawValue: 2)
    /// It moved, by itself or with others. Rows that a section takes along do not move.
    public static let moved = ChangeKinds(rawValue: 4)
    /// The content of a row or the title of a section was updated.
    public static let updated = ChangeKinds(rawValue: 8)
    /// A checkmark was set or cleared.
    public static let toggled = ChangeKinds(rawValue: 16)
    /// A row got another depth in an outline, or was collapsed or expanded.
    public static let outlined = ChangeKinds(rawValue: 32)

    /// How many bits they take.
    static let bitCount: UInt64 = 6
}

extension ChangeKinds: CustomStringConvertible {
    /// As in "moved, updated".
    public var description: String {
        let names: [(ChangeKinds, String)] = [
            (.inserted, "inserted"), (.deleted, "deleted"), (.moved, "moved"), (.updated, "updated"),
            (.toggled, "toggled"), (.outlined, "outlined"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// A row or a section.
package enum RowOrSection: Hashable, Sendable {
    /// The row of this id.
    case row(UntypedID)
    /// The section of this id.
    case section(UntypedID)

    var isSection: Bool { if case .section = self { true } else { false } }

    /// The number under which touches are found.
    package var fingerprint: UInt32 {
        switch self {
        case .row(.integer(let value)):
            // Members of a family are neighbours in the index, where most of them take little more than a byte.
            // Adding the member leaves the last bits random if each row is alone in its family.
            let family = UntypedID.integer(value &>> Int64(UntypedID.familyBits)).hash64 &>> 32
            let member = (family &+ UInt64(bitPattern: value)) & UntypedID.members
            return UInt32(truncatingIfNeeded: family & ~UntypedID.members | member)
        case .row(let id): return UInt32(truncatingIfNeeded: id.hash64 &>> 32)
        case .section(let id): return UInt32(truncatingIfNeeded: id.hash64)
        }
    }
}

/// An entry of the index of touches.
package struct Touch: Hashable, Sendable {
    /// What was touched.
    package var fingerprint: UInt32
    /// What was done to it.
    package var kinds: ChangeKinds
    /// The commit.
    package var version: Version

    package init(_ fingerprint: UInt32, _ kinds: ChangeKinds, _ version: Version) {
        (self.fingerprint, self.kinds, self.version) = (fingerprint, kinds, version)
    }

    /// A hash that is the same on every machine.
    package var hash64: UInt64 {
        XXHash64.hash(UInt64(fingerprint) &<< ChangeKinds.bitCount | UInt64(kinds.rawValue), seed: version.rawValue)
    }
}

/// A row of the index is damaged: the index has to be made again.
package struct DamagedTouches: Error {
    package init() {}
}

extension Version {
    /// A hash that is the same on every machine.
    package var hash64: UInt64 { XXHash64.hash(rawValue, seed: 0) }
}
