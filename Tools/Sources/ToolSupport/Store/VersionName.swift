// A version as people name it: by its number, by its place in the log, by a time, or by the name that somebody gave it.
//
// Always holds: no text means two versions. Whatever can be a number, a place or a time is one, and what looks like one is no name;
// a name that does is written with `name:` before it.

import ListModel
import Listory

/// A name of a version, on a command line or in a request.
public struct VersionName: Hashable, Sendable {
    private enum Meaning: Hashable {
        case number(Version)
        /// So many versions before the newest.
        case head(back: UInt64)
        /// The oldest version that there is: the empty list, unless the store was compacted.
        case base
        /// The version of the oldest commit that there is.
        case first
        /// The newest version at a time.
        case time(Timestamp)
        /// The version that has a name in the store.
        case name(String)
    }

    private let meaning: Meaning

    /// The version itself.
    public init(_ version: Version) { meaning = .number(version) }

    /// The version that a text names.
    ///
    /// - Throws: ``VersionNameError``.
    public init(_ text: String) throws(VersionNameError) {
        let time = CompactionRequest.time(text.hasPrefix("@") ? String(text.dropFirst()) : text)
        if let number = VersionName.number(text) {
            meaning = .number(Version(number))
        } else if let time {
            meaning = .time(time)
        } else if text == "head" {
            meaning = .head(back: 0)
        } else if text.hasPrefix("head~"), let back = VersionName.number(text.dropFirst(5)) {
            meaning = .head(back: back)
        } else if text == "base" {
            meaning = .base
        } else if text == "first" {
            meaning = .first
        } else if text.hasPrefix("name:") {
            meaning = .name(String(text.dropFirst(5)))
        } else if text.isEmpty || VersionName.isMisspelled(text) {
            throw VersionNameError(text)
        } else {
            meaning = .name(text)
        }
    }

    /// Whether a text that is no number, place or time was probably meant to be one.
    private static func isMisspelled(_ text: String) -> Bool {
        ["head~", "@", "-", "+"].contains { text.lowercased().hasPrefix($0) }
            || text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            || text.wholeMatch(of: /(?i)(head|base|first)[-~^@+]*[0-9]*/) != nil
            || text.prefixMatch(of: /[0-9]{4}-|[0-9]+[\/:]|[0-9]+\.[0-9]+\.[0-9]{4}/) != nil
    }

    /// The name that somebody gave the version; nil if it is named in another way.
    public var givenName: String? { if case .name(let name) = meaning { name } else { nil } }

    /// Digits as a number; `UInt64` would accept a sign.
    private static func number(_ text: some StringProtocol) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }

    /// The version in a store.
    ///
    /// - Throws: ``ToolError`` for a place before version 0, `ListError.unknownName`; an error of the log. Whether there is a
    ///   version of a number, and whether one of a place was dropped, is checked where it is read.
    public func version(in store: UntypedStore) throws -> Version {
        switch meaning {
        case .number(let version): return version
        case .head(let back):
            let head = try store.version.rawValue
            guard back <= head else {
                throw ToolError(
                    .refused, "expected at most head~\(head), found head~\(back)",
                    code: "unknownVersion")
            }
            return Version(head - back)
        case .base: return store.oldestVersion
        case .first: return store.oldestVersion.next
        case .time(let time): return try store.version(at: time)
        case .name(let name): return try store.version(named: name)
        }
    }

    /// The version as the first one of a range of commits. A place or a time before all commits means the first of
    /// them, nil if there are none; a number, a given name and a place that was dropped mean the version itself.
    func firstCommit(in store: UntypedStore) throws -> Version? {
        let version = try version(in: store)
        if isExact || version < store.oldestVersion { return version }
        return try store.version > store.oldestVersion ? max(version, store.oldestVersion.next) : nil
    }

    /// The version as the last one of a range of commits; nil if it is a place or a time before all commits.
    func lastCommit(in store: UntypedStore) throws -> Version? {
        let version = try version(in: store)
        return isExact || version != store.oldestVersion ? version : nil
    }

    /// The version as a place in a history. A number has to be one of its revisions. A time, or a distance from the newest
    /// version, means the revision whose rows the history had then.
    func place(in store: UntypedStore, history origin: String) throws -> Version {
        let version = try version(in: store)
        if isNumber { return version }
        return max(try store.history(of: origin, at: version).position, store.oldestVersion)
    }

    private var isNumber: Bool { if case .number = meaning { true } else { false } }
    private var isExact: Bool { isNumber || givenName != nil }

    /// The rows at that version.
    ///
    /// - Throws: `ListError` if the store has no such version.
    public func snapshot(in store: UntypedStore) throws -> UntypedSnapshot {
        try store.snapshot(at: version(in: store))
    }
}

extension VersionName: ExpressibleByIntegerLiteral {
    /// The version of a number.
    public init(integerLiteral value: UInt64) { self.init(Version(value)) }
}

/// A range of commits, A..B, or one commit.
public struct VersionRange: Hashable, Sendable {
    private let first, last: VersionName

    /// The range of the commits of two versions.
    public init(_ first: VersionName, _ last: VersionName) { (self.first, self.last) = (first, last) }

    /// The range that a text names.
    ///
    /// - Throws: ``VersionNameError``.
    public init(_ text: String) throws(VersionNameError) {
        if let dots = text.firstRange(of: "..") {
            first = try VersionName(String(text[..<dots.lowerBound]))
            last = try VersionName(String(text[dots.upperBound...]))
        } else {
            first = try VersionName(text)
            last = first
        }
    }

    /// The versions of the first and the last commit in a store.
    ///
    /// - Throws: `ListError` if the store has no such commits; ``ToolError`` if the first is after the last.
    public func commits(in store: UntypedStore) throws -> ClosedRange<Version> {
        guard let first = try first.firstCommit(in: store), let last = try last.lastCommit(in: store) else {
            throw ToolError(.refused, "range: expected commits, found none so early in the log")
        }
        for version in [last, first] { _ = try store.commit(version) }
        guard first <= last else {
            throw ToolError(.refused, "range: expected the earlier version first, found \(first)..\(last)")
        }
        return first...last
    }
}

/// A text that names no version.
public struct VersionNameError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What a version may be named, for error messages and help.
    public static let expected =
        "a number, head, head~3, first, base, a time like 2026-03-01 or 2026-03-01T12:30, or the name of a version"

    /// The text.
    public let text: String

    init(_ text: String) { self.text = text }

    /// What was expected, and what was found.
    public var description: String { "expected \(VersionNameError.expected), found \"\(text.visible)\"" }
}
