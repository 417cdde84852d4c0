// How an index hashes ids.
//
// Integers that count up are the most frequent ids, and rows with neighbouring ids were most often inserted one after the other, so
// they are in the same leaves. Therefore 64 consecutive integers are a *family*: their hashes have the same lower bits, so they are in one
// chunk of the index. A row that is typed changes a chunk that was changed by the row before it; and in a file, most of a family takes
// a few bits for each id.
//
// The upper bits tell the members of a family apart: the member is added to those of the family's hash. So they are random, also
// if ids are multiples of something and each is alone in its family.
//
// Ids may come from outside, and an attacker who knows the hash function could choose many ids with the same hash; every lookup would
// then search all of them. So each index hashes with its own salt, which is stored with it.
//
// Always holds: different members of a family have different hashes.

struct IdentifierHashing: Hashable, Sendable {
    /// The salt; 0 in a file from before salts.
    var salt: UInt64 = 0
    /// Whether there are families. An index that an earlier release has made has none.
    var hasFamilies = false

    /// The hash by which an index finds an id.
    @inline(__always)
    func hash(of id: UntypedID) -> UInt64 {
        guard hasFamilies, case .integer(let value) = id else { return id.hash64(salt: salt) }
        let family = UntypedID.integer(value &>> Int64(UntypedID.familyBits))
        // The sum wraps.
        return family.hash64(salt: salt) &+ UInt64(bitPattern: value) &<< (64 &- UntypedID.familyBits)
    }
}
