// Tests searching: which rows are found, and how little work it takes.

import Foundation
@testable import ListModel
import TestSupport
import Testing

@Suite("Search")
struct SearchTests {
    @Test(
        "Case and marks make no difference",
        arguments: [
            ("Crème BRÛLÉE", "creme brulee"), ("Cre\u{300}me", "crème"), ("Straße", "STRASSE"),
            ("Ångström", "angstrom"),
            ("İstanbul", "istanbul"), ("ısı", "ISI"), ("Łódź", "lodz"), ("Ærøskøbing", "aeroskobing"),
            ("Ελλάς", "ΕΛΛΑΣ"),
            ("Việt Nam", "viet nam"), ("ﬁnal", "FIN"), ("Ёлка", "елка"), ("שָׁלוֹם", "שלום"), ("日本語", "本"),
            ("Nǘ", "nu"), ("\u{1112}\u{1161}\u{11AB}글", "한글"), ("한글", "\u{1112}\u{1161}\u{11AB}"),
            ("か\u{3099}っこう", "がっこう"), ("ポスト", "ホ\u{309A}"), ("ウ\u{3099}", "ヴ"),
            ("\u{622}\u{628}", "\u{627}\u{653}\u{628}"), ("\u{624}", "\u{648}\u{654}"), ("\u{FB2C}", "\u{5E9}"),
            ("\u{958}\u{932}\u{92E}", "\u{915}\u{93C}\u{932}"), ("\u{915}\u{9CB}", "\u{9C7}\u{9BE}"),
        ])
    func folding(text: String, query: String) {
        #expect(SearchWords(query).matches(SearchText(text)))
        let folded = TextFolding.fold(text)
        #expect(TextFolding.fold(folded) == folded)
    }

    @Test("A letter and its canonical decomposition are folded alike")
    func decompositions() {
        var different: [String] = []
        for value in UInt32(0x80)...0xFFFF {
            // CJK compatibility ideographs stay as they are.
            guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic,
                !(0xF900...0xFAFF).contains(value)
            else { continue }
            let text = String(scalar)
            let folded = TextFolding.fold(text)
            let decomposed = TextFolding.fold(text.decomposedStringWithCanonicalMapping)
            // Compared as the search compares them: `==` is true for all spellings of a letter.
            let isSame = folded.utf8.elementsEqual(decomposed.utf8)
            if !isSame || !TextFolding.fold(folded).utf8.elementsEqual(folded.utf8) {
                different.append(String(value, radix: 16))
            }
        }
        #expect(different.isEmpty)
    }

    @Test("A row is found if it has all words, anywhere and in any order")
    func words() {
        let text = SearchText("Buy two bottles of milk")
        for query in ["", "  ", "milk", "milk buy", "OTT two", "b m", "two bottles of"] {
            #expect(SearchWords(query).matches(text), "\(query)")
        }
        for query in ["tea", "milk tea", "milkbuy", "twoo"] { #expect(!SearchWords(query).matches(text), "\(query)") }
        #expect(!SearchWords("a").matches(SearchText("")) && SearchWords("").matches(SearchText("")))
    }

    @Test("A search is narrower if each word of the old search is a part of a new word")
    func narrower() {
        for (left, right) in [("milk", ""), ("milk", "mil"), ("milk tea", "tea"), ("Milk tea", "te mi"), ("a", "a")] {
            #expect(SearchWords(left).isNarrower(than: SearchWords(right)), "\(left), \(right)")
        }
        for (left, right) in [("", "m"), ("mil", "milk"), ("milk", "milk tea"), ("tea", "mi")] {
            #expect(!SearchWords(left).isNarrower(than: SearchWords(right)), "\(left), \(right)")
        }
    }

    @Test("A search calls no function for any row, and returns the changes")
    func searching() throws {
        var list = try MemoryList([[1, 2], [3]])
        let texts: [UntypedID: String] = [1: "Milk", 2: "Crème", 3: "Cream and milk"]
        let titles = Arrangement(hidesEmptySections: true, isSearchable: true) { item in
            RowPlacement(text: SearchText(texts[item.id] ?? "new"))
        }
        var view = try DerivedView([.arrange(titles)], of: list.snapshot())
        #expect(try view.search(SearchWords("milk")).changeset.items.deleted == [ListIndexPath(0, 1)])
        #expect(view.snapshot.ids == [[1], [3]])
        #expect(try view.search(SearchWords("milk cre")).changeset.sections.deleted == [0])
        #expect(try view.search(SearchWords("cre")).changeset.items.inserted == [ListIndexPath(0, 0)])
        #expect(view.snapshot.ids == [[2], [3]])
        // Rows that are inserted during a search are searched too.
        try list.commit { try $0.insert([NewRow(4), NewRow(5)], at: .before(1)) }
        #expect(try view.advance(to: list.snapshot()).isEmpty)
        try view.search(SearchWords("NEW"))
        #expect(view.snapshot.ids == [[4, 5]])
        try view.search(SearchWords())
        #expect(view.snapshot.ids == [[4, 5, 1, 2], [3]])
        try view.checkInvariants()
    }

    @Test(
        "A repeated search finds what a search of all rows finds, and reads each content once",
        arguments: 1...20 as ClosedRange<UInt64>)
    func repeated(seed: UInt64) throws {
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var edits = RandomEdits(seed: seed, targetCount: 50)
        var versions: [(rows: UntypedSnapshot, contents: [[[UInt8]]])] = []
        for _ in 0..<40 {
            let reference = try list.contents()
            try list.commit { editor in
                var pending = reference
                for _ in 0..<3 {
                    let edit = edits.next(pending)
                    if (try? pending.apply(edit)) != nil { try editor.apply(edit) }
                }
            }
            versions.append((list.snapshot(), try list.contents().sections.map { $0.items.map(\.content) }))
        }
        versions.shuffle(using: &edits.generator)
        let wanted = UInt8.random(in: 0...255, using: &edits.generator)
        var search = RepeatedSearch()
        var read: Set<[UInt8]> = []
        for (rows, contents) in versions {
            for (section, contents) in zip(rows.sections, contents) {
                let isFound = try search.hasMatch(in: section.items) { reference in
                    let content = try list.log.content(of: reference)
                    let isMatch = content.contains(wanted)
                    #expect(isMatch || read.insert(content).inserted, "seed \(seed): read again")
                    return isMatch
                }
                #expect(isFound == contents.contains { $0.contains(wanted) }, "seed \(seed), \(rows.version)")
            }
        }
    }
}
