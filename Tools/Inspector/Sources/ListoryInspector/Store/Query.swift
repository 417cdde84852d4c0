// The parameters of a request.
//
// Always holds: an unknown, repeated or wrong parameter is refused, because it is probably a mistake.

import Foundation
import ListModel
import Listory
import ToolSupport

/// The parameters of a request.
struct Query: Sendable {
    private var values: [String: [String]] = [:]

    /// The parameters of the part of an address after its question mark.
    ///
    /// - Parameters:
    ///   - allowed: the names of the parameters that there are.
    ///   - repeated: those that may occur several times.
    /// - Throws: `RequestError`.
    init(_ text: String, allowing allowed: [String], repeated: Set<String> = []) throws {
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func decoded(_ text: Substring?) throws -> String {
                let plain = (text ?? "").replacingOccurrences(of: "+", with: " ")
                guard let decoded = plain.removingPercentEncoding else {
                    throw RequestError(
                        .invalidRequest, "expected UTF-8 in percent encoding, found \"\(plain.visible)\"")
                }
                return decoded
            }
            let (name, value) = (try decoded(pair[0]), try decoded(pair.dropFirst().first))
            guard allowed.contains(name) else {
                let names = allowed.isEmpty ? "no parameters" : "one of " + allowed.joined(separator: ", ")
                throw RequestError(.invalidRequest, "expected \(names), found the unknown parameter \"\(name.shown)\"")
            }
            if values[name] != nil, !repeated.contains(name) {
                throw RequestError(.invalidRequest, "\(name): expected one, found several")
            }
            values[name, default: []].append(value)
        }
    }

    private static func wrong(_ name: String, _ expected: String, _ found: String?) -> RequestError {
        RequestError(
            .invalidRequest, "\(name): expected \(expected), found \(found.map { "\"\($0.shown)\"" } ?? "nothing")")
    }

    /// The texts of a parameter that may be repeated.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The text of a parameter; nil if it is not there.
    func text(_ name: String) -> String? { values[name]?.first }

    /// The text of a parameter that has to be there.
    func required(_ name: String, _ expected: String) throws -> String {
        guard let text = text(name), !text.isEmpty else { throw Query.wrong(name, expected, text(name)) }
        return text
    }

    /// The id of a parameter that has to be there: JSON, because 7 and "7" are two.
    func id(_ name: String = "id") throws -> IdentifierText {
        let expected = "an id as JSON, like 7 or \"7\""
        let text = try required(name, expected)
        switch try? JSONValue(parsing: text.utf8).identifier {
        // The events of a commit have UUIDs as texts, as the tool prints them.
        case .string(let text) where UUID(uuidString: text) != nil: return IdentifierText(text)
        case let id?: return IdentifierText(id)
        case nil: throw Query.wrong(name, expected, text)
        }
    }

    /// The number of a parameter.
    func number(_ name: String, _ range: ClosedRange<Int>, default number: Int) throws -> Int {
        guard let text = text(name) else { return number }
        // `Int` would accept a sign.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let found = Int(text), range.contains(found) else {
            let expected =
                range.upperBound == .max ? "a number" : "a number from \(range.lowerBound) to \(range.upperBound)"
            throw Query.wrong(name, expected, text)
        }
        return found
    }

    /// Whether a parameter is `true`.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false": false
        case "true": true
        case let text: throw Query.wrong(name, "true or false", text)
        }
    }

    /// The version of a parameter; nil if it is not there.
    func version(_ name: String) throws -> VersionName? {
        guard let text = text(name) else { return nil }
        do { return try VersionName(text) } catch { throw Query.wrong(name, VersionNameError.expected, text) }
    }

    /// The version of a parameter that has to be there.
    func requiredVersion(_ name: String) throws -> VersionName {
        guard let version = try version(name) else { throw Query.wrong(name, VersionNameError.expected, nil) }
        return version
    }

    /// The condition of a parameter that has to be there.
    func condition(_ name: String) throws -> RowCondition {
        let text = try required(name, "a condition like \"row 7 in done\"")
        do { return try RowCondition(text) } catch { throw RequestError(.invalidRequest, "\(name): \(error)") }
    }

    /// The time of a parameter; nil if it is not there.
    func time(_ name: String) throws -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let time = CompactionRequest.time(text) else {
            throw Query.wrong(name, "a date like 2026-03-01 or 2026-03-01T12:30", text)
        }
        return time
    }

    /// The texts of a parameter, each of which is one of some names.
    func names(_ name: String, of names: [String]) throws -> [String] {
        for text in texts(name) where !names.contains(text) {
            throw Query.wrong(name, "one of \(names.joined(separator: ", "))", text)
        }
        return texts(name)
    }
}

/// How long an answer that looks at one commit or row after another may look.
struct Budget {
    private let end: ContinuousClock.Instant

    init(_ time: Duration) { end = .now + time }

    /// Whether there is time left.
    var isLeft: Bool { ContinuousClock.now < end }
}
