// Searching rows by words: the words that a user typed, and the text of a row.
//
// Always holds: case and marks make no difference, and neither does the locale.

/// The text of a row, folded for searching.
public struct SearchText: Hashable, Sendable {
    /// The text without case and marks.
    let folded: String

    /// A text to be searched in.
    ///
    /// - Complexity: O(length).
    public init(_ text: String = "") {
        folded = text.isEmpty ? "" : TextFolding.fold(text)
    }
}

/// Search words. A text matches if it contains all of them, anywhere and in any order.
///
/// ```swift
/// SearchWords("creme bru").matches(SearchText("Crème brûlée"))  // true
/// ```
public struct SearchWords: Hashable, Sendable {
    /// The words without case and marks.
    private let words: [String]

    /// The words of a text that a user types into a search field.
    public init(_ text: String = "") {
        words = TextFolding.fold(text).split(whereSeparator: \.isWhitespace).map { word in
            var copy = String(word)
            copy.makeContiguousUTF8()
            return copy
        }
    }

    /// Whether there are no words, which match every text.
    public var isEmpty: Bool { words.isEmpty }

    /// Whether all words are in a text.
    ///
    /// - Complexity: O(length · words).
    public func matches(_ text: SearchText) -> Bool {
        if words.isEmpty { return true }
        var folded = text.folded
        return folded.withUTF8 { text in
            words.allSatisfy { word in
                var word = word
                return word.withUTF8 { SearchWords.contains(text, $0) }
            }
        }
    }

    /// The words that are in a text, and those that are not.
    func parts(in text: SearchText) -> (found: [String], missing: [String]) {
        let bytes = Array(text.folded.utf8)
        var parts: (found: [String], missing: [String]) = ([], [])
        for word in words {
            if SearchWords.contains(bytes, Array(word.utf8)) {
                parts.found.append(word)
            } else {
                parts.missing.append(word)
            }
        }
        return parts
    }

    /// Whether the other words match every text that these words match, as before another letter was typed.
    func isNarrower(than other: SearchWords) -> Bool {
        other.words.allSatisfy { part in
            words.contains { whole in
                SearchWords.contains(Array(whole.utf8), Array(part.utf8))
            }
        }
    }

    private static func contains<Bytes: RandomAccessCollection<UInt8>>(_ text: Bytes, _ word: Bytes) -> Bool
    where Bytes.Index == Int {
        guard let first = word.first else { return true }
        guard word.count <= text.count else { return false }
        var start = text.startIndex
        let last = text.endIndex - word.count
        while start <= last {
            if text[start] == first && text[start..<start + word.count].elementsEqual(word) { return true }
            start += 1
        }
        return false
    }
}
