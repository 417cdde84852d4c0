// Texts without case and marks, so that "creme" finds "Crème".
//
// The result is the same in every locale, so a search finds the same rows on every machine. Unicode's decompositions
// say which letter a letter with a mark is based on; a table adds letters with a stroke and ligatures, which have no
// decomposition.
//
// Always holds: folding a folded text changes nothing. A letter of the basic plane gives the same as its canonical decomposition,
// except for CJK compatibility ideographs; symbols such as ≠ stay as they are.

/// Removes case and marks.
enum TextFolding {
    /// A text in lower case, without marks.
    ///
    /// - Complexity: O(length); fast for ASCII.
    static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            for lower in scalar.properties.lowercaseMapping.unicodeScalars where !isMark(lower) {
                if lower.isASCII {
                    result.unicodeScalars.append(lower)
                } else if let letters = parts[lower] {
                    result += letters
                } else if let last = result.unicodeScalars.last, let both = composed(last, lower) {
                    result.unicodeScalars.removeLast()
                    result.unicodeScalars.append(both)
                } else {
                    result.unicodeScalars.append(bases[lower] ?? lower)
                }
            }
        }
        return result
    }

    /// The character that two others are together: a Hangul syllable, or a kana with a sound mark. Names of files on Apple's systems have
    /// these in parts. Other than accents, the marks make another letter, so they stay.
    private static func composed(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        let (left, right) = (first.value, second.value)
        switch right {
        // By the Unicode Standard, section 3.12.
        case 0x1161...0x1175 where (0x1100...0x1112).contains(left):
            return Unicode.Scalar(0xAC00 + ((left - 0x1100) * 21 + (right - 0x1161)) * 28)
        case 0x11A8...0x11C2 where (0xAC00...0xD7A3).contains(left) && (left - 0xAC00) % 28 == 0:
            return Unicode.Scalar(left + (right - 0x11A7))
        case 0x3099: return voiced[first]
        case 0x309A: return halfVoiced[first]
        default: return nil
        }
    }

    private static let voiced = pairs(
        "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞ"
            + "カガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺヽヾ")
    private static let halfVoiced = pairs("はぱひぴふぷへぺほぽハパヒピフプヘペホポ")

    /// Each character at an even place, and the one behind it.
    private static func pairs(_ text: String) -> [Unicode.Scalar: Unicode.Scalar] {
        let scalars = Array(text.unicodeScalars)
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: scalars.count, by: 2).map { (scalars[$0], scalars[$0 + 1]) })
    }

    /// Whether a character only modifies the one before: an accent, a Hebrew point, an Arabic vowel sign.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x64B...0x65F, 0x670,
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
            true
        default: false
        }
    }

    /// What a ligature, or another character of several parts, is made of.
    private static let parts: [Unicode.Scalar: String] = {
        var result: [Unicode.Scalar: String] = [
            "ß": "ss", "æ": "ae", "ǣ": "ae", "ǽ": "ae", "œ": "oe", "ĳ": "ij", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl",
            "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
        ]
        for entry in decompositions.split(separator: ",") {
            let numbers = entry.split(whereSeparator: \.isWhitespace).map { UInt32($0, radix: 16)! }
            let scalars = numbers.map { Unicode.Scalar($0)! }
            result[scalars[0]] = String(String.UnicodeScalarView(scalars[1...]))
        }
        return result
    }()

    /// Characters of other scripts, each followed by its canonical decomposition without the marks that are removed: Arabic letters,
    /// Indic letters with a dot, vowel signs of several parts, Tibetan, Burmese and Balinese letters, Hebrew letters with points. The dot
    /// of an Indic letter makes another letter, as a sound mark of kana does, so it stays. The entries are numbers, because many editors
    /// replace such characters by their decompositions.
    private static let decompositions = """
        622 627, 623 627, 624 648, 625 627, 626 64A, 6C0 6D5, 6C2 6C1, 6D3 6D2, 929 928 93C, 931 930 93C, 934 933 93C,
        958 915 93C, 959 916 93C, 95A 917 93C, 95B 91C 93C, 95C 921 93C, 95D 922 93C, 95E 92B 93C, 95F 92F 93C,
        9CB 9C7 9BE, 9CC 9C7 9D7, 9DC 9A1 9BC, 9DD 9A2 9BC, 9DF 9AF 9BC, A33 A32 A3C, A36 A38 A3C, A59 A16 A3C,
        A5A A17 A3C, A5B A1C A3C, A5E A2B A3C, B48 B47 B56, B4B B47 B3E, B4C B47 B57, B5C B21 B3C, B5D B22 B3C,
        B94 B92 BD7, BCA BC6 BBE, BCB BC7 BBE, BCC BC6 BD7, C48 C46 C56, CC0 CBF CD5, CC7 CC6 CD5, CC8 CC6 CD6,
        CCA CC6 CC2, CCB CC6 CC2 CD5, D4A D46 D3E, D4B D47 D3E, D4C D46 D57, DDA DD9 DCA, DDC DD9 DCF,
        DDD DD9 DCF DCA, DDE DD9 DDF, F43 F42 FB7, F4D F4C FB7, F52 F51 FB7, F57 F56 FB7, F5C F5B FB7, F69 F40 FB5,
        F73 F71 F72, F75 F71 F74, F76 FB2 F80, F78 FB3 F80, F81 F71 F80, F93 F92 FB7, F9D F9C FB7, FA2 FA1 FB7,
        FA7 FA6 FB7, FAC FAB FB7, FB9 F90 FB5, 1026 1025 102E, 1B06 1B05 1B35, 1B08 1B07 1B35, 1B0A 1B09 1B35,
        1B0C 1B0B 1B35, 1B0E 1B0D 1B35, 1B12 1B11 1B35, 1B3B 1B3A 1B35, 1B3D 1B3C 1B35, 1B40 1B3E 1B35,
        1B41 1B3F 1B35, 1B43 1B42 1B35, FB1D 5D9, FB1F 5F2, FB2A 5E9, FB2B 5E9, FB2C 5E9, FB2D 5E9, FB2E 5D0,
        FB2F 5D0, FB30 5D0, FB31 5D1, FB32 5D2, FB33 5D3, FB34 5D4, FB35 5D5, FB36 5D6, FB38 5D8, FB39 5D9, FB3A 5DA,
        FB3B 5DB, FB3C 5DC, FB3E 5DE, FB40 5E0, FB41 5E1, FB43 5E3, FB44 5E4, FB46 5E6, FB47 5E7, FB48 5E8, FB49 5E9,
        FB4A 5EA, FB4B 5D5, FB4C 5D1, FB4D 5DB, FB4E 5E4
        """

    /// The letter that a letter with a mark is based on.
    private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
        var result: [Unicode.Scalar: Unicode.Scalar] = [:]
        for word in table.split(whereSeparator: \.isWhitespace) {
            let base = word.unicodeScalars.first!
            for scalar in word.unicodeScalars.dropFirst() { result[scalar] = base }
        }
        return result
    }()

    /// Each base letter, followed by the letters that are based on it, in lower case.
    private static let table = """
        aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ bḃḅḇ cçćĉċčḉ dďđḋḍḏḑḓ eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ fḟ gĝğġģǧǵḡ
        hĥħȟḣḥḧḩḫẖ iìíîïĩīĭįıǐȉȋḭḯỉị jĵǰ kķǩḱḳḵ lĺļľłḷḹḻḽ mḿṁṃ nñńņňǹṅṇṉṋ
        oòóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ pṕṗ rŕŗřȑȓṙṛṝṟ sśŝşšșṡṣṥṧṩ tţťŧțṫṭṯṱẗ
        uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự vṽṿ wŵẁẃẅẇẉẘ xẋẍ yýÿŷȳẏẙỳỵỷỹ zźżžẑẓẕ æǣǽ ſẛ ʒǯ ʹʹ
        αάἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ εέἐἑἒἓἔἕὲέ ηήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ ιΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ
        οόὀὁὂὃὄὅὸό ρῤῥ σς υΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ ωώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ ϒϓϔ аӑӓ гѓ еѐёӗ жӂӝ зӟ ийѝӣӥ кќ
        оӧ уўӯӱӳ чӵ ыӹ эӭ ії ѵѷ әӛ өӫ
        """
}
