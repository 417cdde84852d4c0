// Tests rows in 40 bytes: no field is lost, and after a change the hash is that of a newly created row.

@testable import ListModel
import TestSupport
import Testing

@Suite("List item")
struct ListItemTests {
    static func reference(_ version: UInt64, _ offset: UInt32, _ length: UInt32, _ hash: UInt64) -> ContentReference {
        ContentReference(version: Version(version), offset: offset, length: length, hash: hash)
    }

    private static let references = [
        reference(0, 0, 0, 0),
        reference(1, 36, 16, 12_345),
        reference(1 << 32, .max, 1, SequenceHash.modulus - 1),
        reference((1 << 32) - 1, 1, .max, 1),
        reference((1 << 48) - 1, .max, .max, SequenceHash.modulus - 1),
        reference(0x1234_5678_9ABC, 0x8000_0000, 0x7FFF_FFFF, 1 << 60),
    ]

    private static let identifiers: [UntypedID] = [0, -1, .integer(.max), "", "a longer string, stored out of line"]

    @Test("A row takes 40 bytes, so that a leaf of 32 stays below 1.3 KB")
    func layout() {
        #expect(MemoryLayout<UntypedRow>.stride == 40)
        #expect(MemoryLayout<UntypedRow>.size == 40)
    }

    @Test("A reference to content is stored without loss, including large versions, offsets and lengths")
    func contentRoundTrip() {
        for content in Self.references {
            for id in Self.identifiers {
                for isChecked in [false, true] {
                    for (depth, isCollapsed) in [(0, false), (0, true), (1, false), (63, true)] {
                        let item = UntypedRow(
                            id: id, isChecked: isChecked, content: content, depth: depth, isCollapsed: isCollapsed)
                        #expect(item.content == content)
                        #expect(item.id == id)
                        #expect(item.isChecked == isChecked)
                        #expect(item.depth == depth && item.isCollapsed == isCollapsed)
                        #expect(item.hash < SequenceHash.modulus)
                    }
                }
            }
        }
    }

    @Test("A row that is changed in place equals a newly created row", arguments: 1...10 as ClosedRange<UInt64>)
    func changesInPlace(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for id in Self.identifiers {
            var (isChecked, content) = (false, Self.references[0])
            var (depth, isCollapsed) = (0, false)
            var item = UntypedRow(id: id, isChecked: isChecked, content: content)
            for _ in 0..<50 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    isChecked = Bool.random(using: &generator)
                    item.setChecked(isChecked)
                case 1:
                    let change = Int.random(in: -depth...63 - depth, using: &generator)
                    depth += change
                    item.changeDepth(by: change)
                case 2:
                    isCollapsed = Bool.random(using: &generator)
                    item.setCollapsed(isCollapsed)
                default:
                    content = Self.references.randomElement(using: &generator)!
                    item.setContent(content)
                }
                let fresh = UntypedRow(
                    id: id, isChecked: isChecked, content: content, depth: depth, isCollapsed: isCollapsed)
                #expect(item.hash == fresh.hash, "seed \(seed)")
                #expect(item.depth == depth && item.isCollapsed == isCollapsed, "seed \(seed)")
                #expect(item.isChecked == isChecked && item.content == content, "seed \(seed)")
                #expect(item == fresh, "seed \(seed)")
            }
        }
    }

    @Test("The hash depends on the id, the checkmark and the content, not on the place of the content")
    func whatTheHashCovers() {
        let item = UntypedRow(id: 7, isChecked: false, content: Self.reference(3, 40, 5, 99))
        let elsewhere = UntypedRow(id: 7, isChecked: false, content: Self.reference(8, 50, 5, 99))
        #expect(item == elsewhere)
        #expect(item.hash == elsewhere.hash)
        #expect(item.content != elsewhere.content)
        let others = [
            UntypedRow(id: 8, isChecked: false, content: item.content),
            UntypedRow(id: "7", isChecked: false, content: item.content),
            UntypedRow(id: 7, isChecked: true, content: item.content),
            UntypedRow(id: 7, isChecked: false, content: Self.reference(3, 40, 5, 100)),
            UntypedRow(id: 7, isChecked: false, content: item.content, isCollapsed: true),
        ]
        let depths = (1...UntypedRow.maximumDepth).map {
            UntypedRow(id: 7, isChecked: false, content: item.content, depth: $0)
        }
        for other in others + depths {
            #expect(other != item)
            #expect(other.hash != item.hash)
        }
        #expect(Set((others + depths).map(\.hash)).count == others.count + depths.count)
    }

    @Test("Contents of equal hash and another length are not the same content")
    func lengthCounts() {
        let short = UntypedRow(id: 7, isChecked: false, content: Self.reference(1, 0, 5, 99))
        let long = UntypedRow(id: 7, isChecked: false, content: Self.reference(1, 0, 6, 99))
        #expect(short != long)
        #expect(!short.hasSameState(as: long))
        #expect(!short.content.hasSameContent(as: long.content))
    }

    @Test("The hash of a content is a residue, and differs for different contents")
    func contentHash() {
        let contents: [[UInt8]] = [[], [0], [0, 0], Array("milk".utf8), Array("Milk".utf8)]
        let hashes = contents.map { content in content.withUnsafeBytes { ContentReference.hash(of: $0) } }
        #expect(hashes.allSatisfy { $0 < SequenceHash.modulus })
        #expect(Set(hashes).count == contents.count)
    }
}
