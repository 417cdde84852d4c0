// Tests the identity of rows and sections: by kind and by bytes.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
@testable import ListModel
import TestSupport
import Testing

@Suite("Untyped ids")
struct UntypedIDTests {
    /// é as one scalar and as two: equal as Swift strings, different as bytes.
    private static let composed: UntypedID = "caf\u{E9}"
    private static let decomposed: UntypedID = "cafe\u{301}"

    @Test("Strings that look the same but have different bytes are two identifiers")
    func canonicalEquivalence() {
        #expect("caf\u{E9}" == "cafe\u{301}")
        #expect(Self.composed != Self.decomposed)
        #expect(Self.composed.hash64 != Self.decomposed.hash64)
        #expect(Set([Self.composed, Self.decomposed]).count == 2)
    }

    @Test("A list can have rows whose ids only look the same")
    func canonicalEquivalenceInAList() throws {
        var list = MemoryList()
        try list.commit { editor in
            try editor.insertSection(NewSection(id: "today"))
            try editor.insert(NewRow(id: Self.composed, content: [1]), at: .end(ofSection: "today"))
            try editor.insert(NewRow(id: Self.decomposed, content: [2]), at: .end(ofSection: "today"))
        }
        try list.commit { try $0.delete(.item(Self.composed)) }
        #expect(list.editor.state.item(Self.composed) == nil)
        #expect(list.editor.state.indexPath(of: Self.decomposed) == ListIndexPath(section: 0, item: 0))
        let found = try #require(list.snapshot().item(at: ListIndexPath(section: 0, item: 0)))
        #expect(found.id == Self.decomposed)
    }

    @Test("An integer, a string and a UUID of the same digits are three identifiers")
    func kinds() {
        let uuid = UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let ids: [UntypedID] = [7, "7", .uuid(uuid), .string(uuid.uuidString)]
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map(\.hash64)).count == ids.count)
        #expect(ids[0] != ids[1])
    }

    @Test("Equal identifiers have equal hashes, however they were created")
    func equalHashes() throws {
        let text = "a string that is long enough to be stored out of line"
        let pairs: [(UntypedID, UntypedID)] = [
            (7, .integer(7)),
            (.string(text), .string(String(decoding: Array(text.utf8), as: UTF8.self))),
            (.string("item 1"), .string(String("an item 1"[String.Index(utf16Offset: 3, in: "an item 1")...]))),
            (
                .uuid(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))),
                .uuid(UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255)))
            ),
        ]
        for (left, right) in pairs {
            #expect(left == right)
            #expect(left.hash64 == right.hash64)
            #expect(left.hashValue == right.hashValue)
        }
    }

    @Test("Strings that look the same have different hash values, so that nobody can choose ids that collide")
    func hashValues() {
        let ids = (0..<1_024).map { number in
            let letters = (0..<10).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }
            return UntypedID.string(letters.joined())
        }
        #expect(Set(ids.map(\.hashValue)).count == ids.count)
        #expect(Set(ids).count == ids.count)
    }

    @Test("Hashes are those of the file format, on every machine")
    func stableHashes() {
        // Computed with the Python package xxhash: the value's bytes, little-endian, with the seed of its kind.
        #expect((7 as UntypedID).hash64 == 0x64FA_E65D_DBFA_C0C8)
        #expect((-1 as UntypedID).hash64 == 0x0AD7_F612_8987_5125)
        #expect(("today" as UntypedID).hash64 == 0xB59F_11B1_E8FB_3852)
        let uuid = UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))
        #expect(UntypedID.uuid(uuid).hash64 == 0xFC5D_04C2_8C5C_07D1)
    }

    @Test("Both halves of a UUID are part of its identity")
    func uuidHalves() {
        let ids = [
            UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
        ].map { UntypedID.uuid($0) }
        #expect(Set(ids.map(\.hash64)).count == 3)
        #expect(Set(ids).count == 3)
    }

    @Test("A description says which kind it is")
    func descriptions() {
        let uuid = UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))
        #expect((7 as UntypedID).description == "7")
        #expect(("7" as UntypedID).description == "\"7\"")
        #expect(UntypedID.uuid(uuid).description == "00112233-4455-6677-8899-AABBCCDDEEFF")
    }
}
