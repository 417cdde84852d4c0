// Texts without case and marks, so that "creme" finds "Crème".
//
// The result is the same in every locale, so a search finds the same rows on every machine. Unicode's decompositions
// say which letter a letter with a mark is based on; a table adds letters with a stroke and ligatures, which have no
// decomposition.
//
// Always holds: folding a folded text changes nothing.

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
                } else if let letters = ligatures[lower] {
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

    private static let ligatures: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "ǣ": "ae", "ǽ": "ae", "œ": "oe", "ĳ": "ij", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi",
        "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    ]

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
