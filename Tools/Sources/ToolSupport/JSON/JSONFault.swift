// Finds the place where bytes stop being JSON, for an error message.
//
// Always holds: it never decides whether bytes are JSON; it looks only at what the parser has refused.

/// The first place where bytes are not JSON.
struct JSONFault: Error, CustomStringConvertible {
    private let expected: String
    private let found: String
    private let line: Int
    private let column: Int

    var description: String { "expected \(expected), found \(found) in line \(line), column \(column)" }

    /// - Parameter offset: where the bytes are not JSON.
    private init(expected: String, at offset: Int, of bytes: [UInt8]) {
        self.expected = expected
        let lines = bytes[..<offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        (line, column) = (lines.count, String(decoding: lines.last ?? [], as: UTF8.self).count + 1)
        let next = String(decoding: bytes[offset...].prefix(32), as: UTF8.self).first
        found = next.map { "\"\(String($0).visible)\"" } ?? "the end"
    }

    /// The fault of some bytes; nil if none is found.
    static func first(in bytes: [UInt8]) -> JSONFault? {
        var search = Search(bytes: bytes)
        do throws(JSONFault) { try search.readAll() } catch { return error }
        return nil
    }

    /// Goes through the bytes.
    private struct Search {
        let bytes: [UInt8]
        var offset = 0
        /// How many arrays and objects the place is in.
        var depth = 0

        /// As deep as the parser goes.
        static let deepest = 512

        mutating func readAll() throws(JSONFault) {
            try readValue()
            skipBlanks()
            if offset < bytes.count { throw fault("the end") }
        }

        private mutating func readValue() throws(JSONFault) {
            skipBlanks()
            switch next {
            case "{":
                try readList(until: "}") { search throws(JSONFault) in
                    search.skipBlanks()
                    guard search.next == "\"" else { throw search.fault("a name in quotation marks") }
                    try search.readString()
                    search.skipBlanks()
                    if !search.take(":") { throw search.fault("a colon") }
                    try search.readValue()
                }
            case "[": try readList(until: "]") { search throws(JSONFault) in try search.readValue() }
            case "\"": try readString()
            case "t": try readWord("true")
            case "f": try readWord("false")
            case "n": try readWord("null")
            case "-": try readNumber()
            case _ where isAtDigit: try readNumber()
            default: throw fault("a value")
            }
        }

        private mutating func readList(
            until end: Unicode.Scalar, _ readElement: (inout Search) throws(JSONFault) -> Void
        ) throws(JSONFault) {
            depth += 1
            defer { depth -= 1 }
            if depth > Search.deepest { throw fault("at most \(Search.deepest) arrays and objects in each other") }
            offset += 1
            skipBlanks()
            if take(end) { return }
            while true {
                try readElement(&self)
                skipBlanks()
                if take(end) { return }
                if !take(",") { throw fault("a comma or \(end)") }
            }
        }

        private mutating func readString() throws(JSONFault) {
            offset += 1
            while !take("\"") {
                guard let next, next.value >= 0x20 else { throw fault("a quotation mark") }
                offset += 1
                if next != "\\" { continue }
                if take("u") {
                    for _ in 0..<4 {
                        guard let digit = self.next, digit.properties.isASCIIHexDigit else {
                            throw fault("a hex digit")
                        }
                        offset += 1
                    }
                } else {
                    guard let escaped = self.next, "\"\\/bfnrt".unicodeScalars.contains(escaped) else {
                        throw fault("the letter of an escape")
                    }
                    offset += 1
                }
            }
        }

        private mutating func readNumber() throws(JSONFault) {
            _ = take("-")
            if !take("0") { try readDigits() }
            if take(".") { try readDigits() }
            if take("e") || take("E") {
                _ = take("+") || take("-")
                try readDigits()
            }
        }

        private mutating func readDigits() throws(JSONFault) {
            if !isAtDigit { throw fault("a digit") }
            while isAtDigit { offset += 1 }
        }

        private mutating func readWord(_ word: String) throws(JSONFault) {
            for scalar in word.unicodeScalars where !take(scalar) { throw fault(word) }
        }

        /// The next byte; nil at the end.
        private var next: Unicode.Scalar? { offset < bytes.count ? Unicode.Scalar(bytes[offset]) : nil }

        private var isAtDigit: Bool { next.map { ("0"..."9").contains($0) } ?? false }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            if next != scalar { return false }
            offset += 1
            return true
        }

        private mutating func skipBlanks() {
            while let next, " \t\r\n".unicodeScalars.contains(next) { offset += 1 }
        }

        private func fault(_ expected: String) -> JSONFault {
            JSONFault(expected: expected, at: offset, of: bytes)
        }
    }
}
