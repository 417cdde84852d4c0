// Reads a condition. `not` binds closer than `and`, and `and` closer than `or`; parentheses group.
//
// Always holds: the whole text is the condition, or an error says at which character what was expected.

import ListModel

/// A text that is no condition.
public struct ConditionError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What was expected, what was found, and where.
    public let description: String
}

extension RowCondition {
    /// The condition of a text.
    ///
    /// - Throws: ``ConditionError``.
    public init(_ text: String) throws {
        var parser = try ConditionParser(text)
        self = try parser.parse()
    }
}

private struct ConditionParser {
    /// A word, a text in quotation marks, an operator or a parenthesis, and its first character, from 1.
    private struct Token {
        var text: String
        var isQuoted: Bool
        var place: Int
    }

    private var tokens: ArraySlice<Token> = []
    private let end: Int

    /// How deep parentheses may be nested.
    private static let depthLimit = 100
    private var depth = 0

    init(_ text: String) throws {
        let characters = Array(text)
        end = characters.count + 1
        var index = 0
        var tokens: [Token] = []
        while index < characters.count {
            let start = index
            let character = characters[index]
            index += 1
            if character.isWhitespace { continue }
            var token = String(character)
            if character == "\"" {
                token = ""
                while index < characters.count, characters[index] != "\"" {
                    if characters[index] == "\\", index + 1 < characters.count { index += 1 }
                    token.append(characters[index])
                    index += 1
                }
                guard index < characters.count else {
                    throw ConditionParser.error(at: end, "a quotation mark", "the end")
                }
                index += 1
            } else if "=!<>".contains(character) {
                if index < characters.count, characters[index] == "=" {
                    token.append("=")
                    index += 1
                }
            } else if !"()".contains(character) {
                while index < characters.count, !characters[index].isWhitespace, !"=!<>()\"".contains(characters[index])
                {
                    token.append(characters[index])
                    index += 1
                }
            }
            tokens.append(Token(text: token, isQuoted: character == "\"", place: start + 1))
        }
        self.tokens = tokens[...]
    }

    mutating func parse() throws -> RowCondition {
        let condition = try alternatives()
        if let more = tokens.first { throw ConditionParser.error(at: more.place, "and, or, or the end", more.text) }
        return condition
    }

    private mutating func alternatives() throws -> RowCondition {
        var condition = try conjunction()
        while take("or") { condition = .or(condition, try conjunction()) }
        return condition
    }

    private mutating func conjunction() throws -> RowCondition {
        var condition = try negation()
        while take("and") { condition = .and(condition, try negation()) }
        return condition
    }

    private mutating func negation() throws -> RowCondition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= ConditionParser.depthLimit else {
            throw error("at most \(ConditionParser.depthLimit) levels of not and parentheses")
        }
        if take("not") { return .not(try negation()) }
        guard take("(") else { return try condition() }
        let condition = try alternatives()
        guard take(")") else { throw error(")") }
        return condition
    }

    private mutating func condition() throws -> RowCondition {
        if take("count") {
            let (comparison, number) = try comparison()
            return .rowCount(section: nil, comparison, number)
        }
        if take("sections") {
            let (comparison, number) = try comparison()
            return .sectionCount(comparison, number)
        }
        if take("contains") { return .contains(section: nil, try words()) }
        if take("section") {
            let id = try identifier()
            if take("exists") { return .sectionExists(id) }
            if take("contains") { return .contains(section: id, try words()) }
            guard take("count") else { throw error("count, contains or exists") }
            let (comparison, number) = try comparison()
            return .rowCount(section: id, comparison, number)
        }
        if take("row") {
            let id = try identifier()
            if take("exists") { return .rowExists(id) }
            if take("checked") { return .rowIsChecked(id) }
            if take("contains") { return .rowContains(id, try words()) }
            guard take("in") else { throw error("exists, checked, contains or in") }
            return .rowIsIn(id, section: try identifier())
        }
        throw error("count, sections, contains, section, row, not or (")
    }

    private mutating func comparison() throws -> (RowCondition.Comparison, Int) {
        guard let token = tokens.first, !token.isQuoted,
            let comparison = RowCondition.Comparison(rawValue: token.text == "==" ? "=" : token.text)
        else { throw error("one of \(RowCondition.Comparison.allCases.map(\.rawValue).joined(separator: " "))") }
        tokens.removeFirst()
        guard let number = tokens.first.flatMap({ $0.isQuoted ? nil : Int($0.text) }) else { throw error("a number") }
        tokens.removeFirst()
        return (comparison, number)
    }

    private mutating func identifier() throws -> IdentifierText {
        guard let token = tokens.popFirst() else { throw error("an id") }
        return IdentifierText(token.text)
    }

    private mutating func words() throws -> RowCondition.Words {
        guard let token = tokens.first else { throw error("a text") }
        let words = RowCondition.Words(token.text)
        if words.words.isEmpty { throw error("at least one word") }
        tokens.removeFirst()
        return words
    }

    private mutating func take(_ word: String) -> Bool {
        guard let token = tokens.first, !token.isQuoted, token.text == word else { return false }
        tokens.removeFirst()
        return true
    }

    private func error(_ expected: String) -> ConditionError {
        ConditionParser.error(at: tokens.first?.place ?? end, expected, tokens.first?.text)
    }

    private static func error(at place: Int, _ expected: String, _ found: String?) -> ConditionError {
        ConditionError(
            description:
                "character \(place): expected \(expected), found \(found.map { "\"\($0.shown)\"" } ?? "the end")")
    }
}
