// An id as people type it, or exactly one.
//
// Always holds: the text means every id that is printed so, because a command line does not tell 7 from "7".

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The ids that a text may mean.
public struct IdentifierText: Hashable, Sendable {
    /// The text.
    public let text: String
    let ids: [UntypedID]

    /// The ids of a text.
    public init(_ text: String) {
        self.text = text
        var ids = [UntypedID.string(text)]
        if let value = UUID(uuidString: text) { ids.insert(.uuid(value), at: 0) }
        // 007 and +7 are other texts than the one of 7.
        if let value = Int64(text), String(value) == text { ids.insert(.integer(value), at: 0) }
        self.ids = ids
    }

    /// Exactly one id.
    public init(_ id: UntypedID) {
        text = id.plainText
        ids = [id]
    }

    /// Whether an id is meant.
    public func means(_ id: UntypedID) -> Bool { ids.contains(id) }

    /// The first of the ids for which there is something.
    public func first<Found>(_ find: (UntypedID) throws -> Found?) rethrows -> Found? {
        for id in ids { if let found = try find(id) { return found } }
        return nil
    }
}
