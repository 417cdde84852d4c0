// Tests searching: which rows are found, and how little work it takes.

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
            ("Nǘ", "nu"),
        ])
    func folding(text: String, query: String) {
        #expect(SearchWords(query).matches(SearchText(text)))
        let folded = TextFolding.fold(text)
        #expect(TextFolding.fold(folded) == folded)
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
}
