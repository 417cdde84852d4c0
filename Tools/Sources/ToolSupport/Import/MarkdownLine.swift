// A line of Markdown, as far as lists are concerned.
//
// Always holds: every line has a kind; a line that is neither heading, item nor code is `other`.

/// The kind of a line of Markdown.
enum MarkdownLine {
    case heading(String)
    case item(String, isChecked: Bool)
    /// An indented line, which continues an item directly before it.
    case continuation(String)
    /// The begin or the end of a block of code.
    case fence(Substring)
    case blank
    case other

    /// - Parameter fence: the mark of the block of code that the line is in, if any.
    init(_ text: String, fence: Substring?) {
        let line = text.drop(while: \.isWhitespace)
        if let fence {
            let isEnd = line.hasPrefix(fence) && line.allSatisfy { $0 == fence.first || $0.isWhitespace }
            self = isEnd ? .fence(fence) : .other
        } else if line.isEmpty {
            self = .blank
        } else if let mark = MarkdownLine.codeMark(line) {
            self = .fence(mark)
        } else if let heading = MarkdownLine.heading(line) {
            self = .heading(heading)
        } else if MarkdownLine.isRule(line) {
            self = .other
        } else if let item = MarkdownLine.item(line) {
            self = item
        } else {
            self = line.startIndex > text.startIndex ? .continuation(line.trimmed) : .other
        }
    }

    /// The mark that begins a block of code. If more backticks follow on the line, it is code within the line instead.
    private static func codeMark(_ line: Substring) -> Substring? {
        let mark = line.prefix { $0 == line.first }
        let isMark = mark.hasPrefix("~~~") || mark.hasPrefix("```") && !line[mark.endIndex...].contains("`")
        return isMark ? mark : nil
    }

    /// The title of `## Title ##`.
    private static func heading(_ line: Substring) -> String? {
        let marks = line.prefix { $0 == "#" }
        let rest = line[marks.endIndex...]
        guard (1...6).contains(marks.count), rest.first?.isWhitespace ?? true else { return nil }
        let title = rest.trimmed
        let closing = title.reversed().prefix { $0 == "#" }.count
        let body = title.dropLast(closing)
        return body.last?.isWhitespace ?? true ? body.trimmed : title
    }

    /// Whether the line is a rule: `---`, `* * *`.
    private static func isRule(_ line: Substring) -> Bool {
        let marks = line.filter { !$0.isWhitespace }
        guard marks.count >= 3, let mark = marks.first, "-*_".contains(mark) else { return false }
        return marks.allSatisfy { $0 == mark }
    }

    /// The item of `- title`, `* [x] title`, `1. [ ] title`.
    private static func item(_ line: Substring) -> MarkdownLine? {
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        var rest = line[digits.endIndex...]
        guard let mark = rest.popFirst() else { return nil }
        guard digits.isEmpty ? "-*+".contains(mark) : (mark == "." || mark == ")") && digits.count <= 9,
            rest.first?.isWhitespace ?? true
        else { return nil }
        let text = rest.trimmed
        for (box, isChecked) in [("[ ]", false), ("[x]", true), ("[X]", true)] where text.hasPrefix(box) {
            let title = text.dropFirst(box.count)
            if title.first?.isWhitespace ?? true { return .item(title.trimmed, isChecked: isChecked) }
        }
        return .item(text, isChecked: false)
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let tail = start.reversed().prefix(while: \.isWhitespace).count
        return String(start.dropLast(tail))
    }
}
