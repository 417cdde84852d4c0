// Keys, and how a terminal sends them.
//
// Always holds: the keys do not depend on how the bytes are split over several reads; bytes that are no key are skipped.

/// A key that was pressed, or a text that was pasted.
public enum Key: Hashable, Sendable {
    /// A character, or a part of one that another completes.
    case text(String)
    /// A text from the clipboard, or the next part of a long one.
    case paste(String)
    case enter, backspace, delete, tab, escape
    /// Tab with the shift key.
    case backTab
    case up, down, left, right, home, end, pageUp, pageDown
    /// With the control key, and with the alt key.
    case wordLeft, wordRight, moveUp, moveDown
    /// A letter with the control key.
    case control(Character)
    /// F1.
    case help
}

/// Reads keys from the bytes of a terminal.
public struct KeyReader {
    private var bytes: [UInt8] = []
    /// Whether the bytes are those of a text that is pasted, and not keys.
    public private(set) var isPasting = false

    /// A reader without bytes.
    public init() {}

    /// Whether there are bytes that may be the beginning of a key.
    public var isWaiting: Bool { !bytes.isEmpty }

    /// The longest text of one ``Key/paste(_:)``, in bytes.
    public static let longestPaste = 1 << 20
    private static let (pasteBegin, pasteEnd) = (Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8))

    /// The keys that are complete with further bytes.
    public mutating func read(_ more: some Sequence<UInt8>) -> [Key] {
        bytes += more
        return keys(isEnd: false)
    }

    /// The keys of the bytes that have waited so long that no others belong to them: an escape by itself, above all, and a pasted text
    /// whose end was lost.
    public mutating func finish() -> [Key] { keys(isEnd: true) }

    private mutating func keys(isEnd: Bool) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let first = rest.first {
            if !isPasting && rest.starts(with: Self.pasteBegin) {
                isPasting = true
                rest = rest.dropFirst(Self.pasteBegin.count)
            }
            let (key, count) =
                isPasting
                ? paste(rest, isEnd) : first == 0x1B ? Self.escape(rest, isEnd) : Self.plain(first, rest, isEnd)
            if count == 0 { break }
            if let key { keys.append(key) }
            rest = rest.dropFirst(count)
        }
        if isEnd { isPasting = false }
        bytes = Array(rest)
        return keys
    }

    /// - Returns: a key and its bytes; no bytes if it is not complete, no key if they are none.
    private static func plain(_ first: UInt8, _ rest: ArraySlice<UInt8>, _ isEnd: Bool) -> (Key?, Int) {
        switch first {
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0x1F: return (.help, 1)
        case 0x01...0x1A: return (.control(Character(UnicodeScalar(first + 0x60))), 1)
        case 0x20..<0x7F: return (.text(String(UnicodeScalar(first))), 1)
        case 0xC2...0xF4:
            let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            let part = rest.prefix(count)
            let follow = part.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
            if follow + 1 < part.count { return (nil, follow + 1) }
            if part.count < count { return (nil, isEnd ? part.count : 0) }
            return (String(validating: part, as: UTF8.self).map { .text($0) }, count)
        default: return (nil, 1)
        }
    }

    private static func escape(_ rest: ArraySlice<UInt8>, _ isEnd: Bool) -> (Key?, Int) {
        let second = rest.dropFirst().first
        guard let second else { return isEnd ? (.escape, 1) : (nil, 0) }
        switch second {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            // Parameters, and then one byte that ends it.
            let parameters = rest.dropFirst(2).prefix { (0x20...0x3F).contains($0) }
            guard let final = rest.dropFirst(2 + parameters.count).first else {
                if !isEnd { return (nil, 0) }
                return rest.count == 2 ? (.escape, 2) : (nil, rest.count)
            }
            if !(0x40...0x7E).contains(final) { return (nil, 2 + parameters.count) }
            let text = String(decoding: parameters, as: UTF8.self)
            return (key(text, Character(UnicodeScalar(final))), 3 + parameters.count)
        case 0x1B: return (.escape, 1)
        case UInt8(ascii: "b"): return (.wordLeft, 2)
        case UInt8(ascii: "f"): return (.wordRight, 2)
        // With the alt key, others mean nothing.
        case 0x20...0x7E: return (nil, 2)
        default: return (.escape, 1)
        }
    }

    private static func key(_ parameters: String, _ final: Character) -> Key? {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        // 2 is shift, 3 is alt, 5 is control, 9 is command.
        let modifier = numbers.count > 1 ? numbers[1] : 1
        switch final {
        case "A": return modifier == 3 ? .moveUp : .up
        case "B": return modifier == 3 ? .moveDown : .down
        case "C": return modifier == 3 || modifier == 5 ? .wordRight : .right
        case "D": return modifier == 3 || modifier == 5 ? .wordLeft : .left
        case "H": return .home
        case "F": return .end
        case "P": return .help
        case "Z": return .backTab
        case "~":
            switch numbers.first {
            case 1, 7: return .home
            case 3: return .delete
            case 4, 8: return .end
            case 5: return .pageUp
            case 6: return .pageDown
            case 11: return .help
            default: return nil
            }
        default: return nil
        }
    }

    /// - Returns: a pasted text, or the first part of a long one, and its bytes; no bytes if more of it is to come.
    private mutating func paste(_ rest: ArraySlice<UInt8>, _ isEnd: Bool) -> (Key?, Int) {
        // The end is looked for where an escape is. At the end of the bytes, it may not be complete.
        var (text, hasEnd) = (rest, false)
        var from = rest.startIndex
        while let index = rest[from...].firstIndex(of: 0x1B) {
            let mark = rest[index...].prefix(Self.pasteEnd.count)
            if Self.pasteEnd.starts(with: mark) {
                (text, hasEnd) = (rest[..<index], mark.count == Self.pasteEnd.count)
                break
            }
            from = index + 1
        }
        if text.count > Self.longestPaste {
            text = Self.part(text)
            return (.paste(String(decoding: text, as: UTF8.self)), text.count)
        }
        if !hasEnd && !isEnd { return (nil, 0) }
        isPasting = false
        let count = hasEnd ? text.count + Self.pasteEnd.count : rest.count
        return (.paste(String(decoding: text, as: UTF8.self)), count)
    }

    /// The first part of a text that is longer than a part may be. It ends between two characters, and does not separate the two that
    /// end a line.
    private static func part(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let limit = text.startIndex + longestPaste
        // A character has at most four bytes, and all but the first are continuations.
        var end = (limit - 3...limit).last { text[$0] & 0xC0 != 0x80 } ?? limit
        if text[end] == 0x0A && text[end - 1] == 0x0D { end -= 1 }
        return text[..<end]
    }
}
