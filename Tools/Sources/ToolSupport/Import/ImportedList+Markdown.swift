// A Markdown task list as a list: headings become sections, list items become rows.
//
// A nested item is deeper than the item around it. Code and all other text are left out and reported.
//
// Always holds: every item is a row of the section of the last heading before it.

import ListModel

extension ImportedList {
    /// The section of the items before the first heading.
    private static let firstSection = Section(name: .new("items"), title: "")

    /// The rows of a Markdown text.
    ///
    /// - Throws: ``ImportError`` for bytes that are not UTF-8.
    public init(markdown bytes: [UInt8]) throws {
        var fence: Substring?
        // The lines of the title of an item, if the line before belongs to it, so that an indented one continues it.
        var titles: [String]?
        // The indentations of the items that the next one may be nested in.
        var indents: [Int] = []
        for (number, text) in try InputLines(bytes) {
            let line = MarkdownLine(text, fence: fence)
            if case .continuation(let more) = line, titles != nil {
                titles?.append(more)
                continue
            }
            endTitle(&titles)
            switch line {
            case .heading(let title):
                sections.append(Section(name: .new(title.slug), title: title))
                indents = []
            case .item(let title, let isChecked):
                if sections.isEmpty { sections.append(ImportedList.firstSection) }
                let indent = text.indent
                while let last = indents.last, last >= indent { indents.removeLast() }
                let row = Row(
                    isChecked: isChecked, content: ImportedList.content(title: title),
                    depth: min(indents.count, UntypedRow.maximumDepth), line: number)
                indents.append(indent)
                sections[sections.count - 1].rows.append(row)
                titles = [title]
            case .fence(let mark):
                fence = fence == nil ? mark : nil
                ignoredLines.append(number)
            case .blank: break
            case .continuation, .other: ignoredLines.append(number)
            }
        }
        endTitle(&titles)
    }

    /// Ends the title of the last item, which may have several lines.
    private mutating func endTitle(_ lines: inout [String]?) {
        guard let title = lines.take(), title.count > 1 else { return }
        let section = sections.count - 1
        sections[section].rows[sections[section].rows.count - 1].content = ImportedList.content(
            title: title.joined(separator: " "))
    }
}

extension StringProtocol {
    /// The indentation of the text: a tab leads to the next multiple of four.
    fileprivate var indent: Int {
        prefix(while: \.isWhitespace).reduce(0) { $1 == "\t" ? ($0 / 4 + 1) * 4 : $0 + 1 }
    }

    /// The text as an id: lower-case letters and digits, with a dash between words.
    fileprivate var slug: String {
        let words = lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? "section" : words.joined(separator: "-")
    }
}
