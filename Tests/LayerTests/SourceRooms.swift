// Reads the folders of a module from its sources: the names that each one declares, and the names that each one uses.
//
// The sources are split into words, not compiled. If a file has a name that only rooms above it declare, that is a use
// of a room above. A name that a room below declares too is not reported.

/// A file of a module.
struct SourceFile {
    /// The folder of the file.
    let room: String
    let name: String
    let text: String
}

/// A use of a name from a room above.
struct UpwardUse: Equatable, CustomStringConvertible {
    let file: String
    let line: Int
    let word: String
    let declaredIn: [String]

    var description: String {
        "\(file):\(line) uses \(word), which stands above it, in \(declaredIn.joined(separator: ", "))"
    }
}

/// The rooms of one module, in the order of the list, the uppermost first.
struct SourceRooms {
    let order: [String]
    let files: [SourceFile]
    /// Names that modules below declare: a use of such a name may mean theirs.
    var namesBelow: Set<Substring> = []

    /// All uses of names that only rooms above declare, in the order of the files.
    func upwardUses() -> [UpwardUse] {
        let heights = Dictionary(uniqueKeysWithValues: order.reversed().enumerated().map { ($1, $0) })
        let words = files.map { SourceWords($0.text) }
        var rooms: [Substring: Set<String>] = [:]
        for (file, words) in zip(files, words) {
            for word in words.declared { rooms[word, default: []].insert(file.room) }
        }
        var uses: [UpwardUse] = []
        for (file, words) in zip(files, words) {
            guard let height = heights[file.room] else { continue }
            for (word, line) in words.used where !namesBelow.contains(word) {
                guard let declaring = rooms[word] else { continue }
                let others = declaring.compactMap { heights[$0] }
                guard !others.isEmpty, others.allSatisfy({ $0 > height }) else { continue }
                uses.append(
                    UpwardUse(
                        file: "\(file.room)/\(file.name)", line: line, word: String(word),
                        declaredIn: declaring.sorted()))
            }
        }
        return uses
    }
}

/// The words of a file by which rooms are recognised: names of types, and names of members with several words. Names of
/// one word, such as `filter`, often belong to the standard library as well.
struct SourceWords {
    /// The names that the file declares.
    private(set) var declared: Set<Substring> = []
    /// The names that the file uses, with their lines.
    private(set) var used: [(word: Substring, line: Int)] = []

    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "actor"]
    private static let memberKeywords: Set<Substring> = ["func", "var", "let", "case"]
    /// Names that the standard library has too.
    private static let standardNames: Set<Substring> = [
        "Element", "Result", "isEmpty", "lowerBound", "timeIntervalSince1970", "upperBound",
    ]

    init(_ text: String) {
        let tokens = SourceWords.tokens(text)
        for (index, token) in tokens.enumerated() where token.isWord {
            let before = index > 0 ? tokens[index - 1].text : ""
            let after = index + 1 < tokens.count ? tokens[index + 1].text : ""
            if SourceWords.standardNames.contains(token.text) { continue }
            if token.text.first!.isUppercase {
                if SourceWords.typeKeywords.contains(before) {
                    declared.insert(token.text)
                } else {
                    used.append((token.text, token.line))
                }
            } else if token.text.contains(where: \.isUppercase) {
                if SourceWords.memberKeywords.contains(before) || after == ":" || before == "," && after != "(" {
                    declared.insert(token.text)
                } else if before == "." || after == "(" {
                    used.append((token.text, token.line))
                }
            }
        }
    }

    private struct Token {
        let text: Substring
        let line: Int
        let isWord: Bool
    }

    /// The words and signs of a text, without comments and strings. Bytes, because characters take ten times as long.
    private static func tokens(_ text: String) -> [Token] {
        let bytes = Array(text.utf8)
        var tokens: [Token] = []
        var (line, place) = (1, 0)
        func begins(_ mark: StaticString) -> Bool {
            let end = place + mark.utf8CodeUnitCount
            return end <= bytes.count
                && mark.withUTF8Buffer { mark in zip(bytes[place..<end], mark).allSatisfy { $0 == $1 } }
        }
        func isInWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                0x80...:
                true
            default: false
            }
        }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        func add(_ end: Int, isWord: Bool) {
            let word = Substring(decoding: bytes[place..<end], as: UTF8.self)
            tokens.append(Token(text: word, line: line, isWord: isWord && word != "_"))
            place = end
        }
        while place < bytes.count {
            let first = bytes[place]
            if isInWord(first) {
                add(bytes[place...].firstIndex { !isInWord($0) && !isDigit($0) } ?? bytes.count, isWord: true)
            } else if begins("//") {
                place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            } else if begins("\"\"\"") {
                place += 3
                while place < bytes.count, !begins("\"\"\"") {
                    if bytes[place] == UInt8(ascii: "\n") { line += 1 }
                    place += 1
                }
                place += 3
            } else if first == UInt8(ascii: "\"") {
                place += 1
                while place < bytes.count, bytes[place] != first, bytes[place] != UInt8(ascii: "\n") {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place += 1
            } else if first <= UInt8(ascii: " ") {
                if first == UInt8(ascii: "\n") { line += 1 }
                place += 1
            } else {
                add(place + 1, isWord: false)
            }
        }
        return tokens
    }
}
