// Tests `listory bisect`: conditions, programs, and the version that it finds.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct BisectTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Version n has n - 1 rows, for n from 1 to 101; row 60 is bad from version 71 on, and row 3 is checked in version 40.
    init() throws {
        var requests = [#"{"insertSection":{"id":"done","title":"Done"}}"#]
        for id in 1...100 {
            requests.append(#"{"insert":{"id":\#(id),"content":{"title":"Row \#(id)"},"section":"done"}}"#)
        }
        requests[70] =
            #"{"begin":"Bad edit"}"# + "\n" + requests[70] + "\n"
            + #"{"update":{"id":60,"content":{"title":"Spoiled crème"}}}"# + "\n" + #"{"end":{}}"#
        (folder, store) = try ToolProcess.makeStore(requests.joined(separator: "\n") + "\n")
    }

    private func first(_ options: String...) throws -> JSONValue? {
        let result = try ToolProcess(["bisect", store, "--json"] + options).finish()
        #expect(result.status == .success, "\(options): \(result.errors)")
        let found = try #require(try result.json().first)
        #expect(found["first"] == found["last"])
        if case .array(let judged)? = found["judged"] { #expect(judged.count <= 9, "\(options)") }
        return found["first"]
    }

    @Test func `The first version that fulfils a condition is found with few looks`() throws {
        for (condition, version) in [
            ("count > 10", 12), ("count >= 10", 11), ("section done count = 100", 101), ("sections != 0", 1),
            (#"contains "spoiled creme""#, 71), (#"section done contains "Row 33""#, 34),
            (#"row 60 contains spoiled"#, 71),
            ("row 50 exists", 51), ("row 50 in done", 51), ("not count < 20", 21),
            (#"(count > 5 or sections > 9) and not row 7 checked and section "done" exists"#, 7),
        ] as [(String, Int64)] {
            #expect(try first("--where", condition) == .integer(version), "\(condition)")
        }
        #expect(try first("--good", "head~40", "--where", "count > 90") == 92)
        let text = try ToolProcess.run("bisect", store, "--where", "contains spoiled").output
        #expect(text.contains("version 71 is the first bad one\n") && text.contains("edit  \"Bad edit\""))
        #expect(text.contains("Row 60 → Spoiled crème"))
    }

    @Test func `A program judges the rows, and may skip versions`() throws {
        #expect(try first("--run", "! grep -q Spoiled") == 71)
        #expect(try first("--run", #"test "$LISTORY_VERSION" -lt 42"#) == 42)
        let skipping = #"test "$LISTORY_VERSION" -lt 50 && exit 0; test "$LISTORY_VERSION" -gt 53 && exit 1; exit 125"#
        let result = try ToolProcess.run("bisect", store, "--run", skipping, "--json").json()
        #expect(result[0]["first"] == 50 && result[0]["last"] == 54)
        #expect(result[0]["candidates"].map(JSONValue.text) == "[50,51,52,53,54]")
        let text = try ToolProcess.run("bisect", store, "--run", skipping).output
        #expect(text.contains("one of the versions 50 to 54 is the first bad one\n"))
        let many = #"test "$LISTORY_VERSION" -lt 50 && exit 0; test "$LISTORY_VERSION" -gt 80 && exit 1; exit 125"#
        let cut = try ToolProcess.run("bisect", store, "--run", many).output
        #expect(cut.hasSuffix("… and 12 versions more, which --json lists\n"), "\(cut)")
        for program in ["exit 126", "kill -9 $$", "/no/such/program"] {
            let result = try ToolProcess.run("bisect", store, "--run", program)
            #expect(
                result.status == .refused && result.errors.contains("expected an exit code from 0 to 125"), "\(program)"
            )
        }
    }

    @Test func `A pipe that nobody reads any more ends a program that writes into it`() throws {
        // If the shell ignored the signal, `while :; do echo x; done | head -n 1` would never end.
        #expect(try first("--run", "sh -c 'kill -PIPE $$' && exit 126; ! grep -q Spoiled") == 71)
    }

    @Test func `Ends that are not as they should be are refused`() throws {
        for options in [
            ["--where", "count > 1000"], ["--where", "count >= 0"],
            ["--good", "5", "--bad", "3", "--where", "count > 3"],
            ["--good", "5", "--bad", "5", "--where", "count > 3"], ["--good", "200", "--where", "count > 3"],
        ] {
            let result = try ToolProcess(["bisect", store] + options).finish()
            #expect(result.status == .refused, "\(options): \(result.errors)")
        }
        for options in [[], ["--where", "count > 3", "--run", "true"], ["--where", "count > x"]] {
            #expect(try ToolProcess(["bisect", store] + options).finish().status == .usage, "\(options)")
        }
    }

    @Test func `The search follows the branch that the bad version is on`() throws {
        func insert(_ id: Int) -> String { #"{"insert":{"id":\#(id),"content":{},"section":"s"}}"# }
        // Row 7 is in versions 3 and 4 of a branch that is left, and again from version 9 on.
        let requests = [
            #"{"insertSection":{"id":"s"}}"#, insert(1), insert(7), insert(2), #"{"undo":2}"#, insert(3), insert(4),
            insert(7), insert(5),
        ]
        let (folder, store) = try ToolProcess.makeStore(requests.joined(separator: "\n") + "\n")
        func bisect(_ options: String...) throws -> ToolProcess.Result {
            try ToolProcess(["bisect", store, "--json"] + options).finish()
        }
        #expect(try bisect("--where", "row 7 exists").json()[0]["first"] == 9)
        #expect(try bisect("--bad", "4", "--where", "row 7 exists").json()[0]["first"] == 3)
        // Version 4 has row 2; the way from where the branches part, version 2, has not.
        #expect(try bisect("--good", "4", "--where", "row 3 exists").json()[0]["first"] == 7)
        let fixed = try bisect("--good", "3", "--where", "not row 7 exists", "--bad", "8")
        #expect(fixed.status == .refused)
        #expect(
            fixed.errors.contains("version 2, where the ways to 3 and 8 part: expected a good one, found a bad one"))
        #expect(try bisect("--good", "4", "--bad", "3", "--where", "row 7 exists").status == .refused)
        // Of skipped versions, only those on the path may be the first bad one.
        let skipping = #"case "$LISTORY_VERSION" in 0) exit 0;; 9) exit 1;; *) exit 125;; esac"#
        let found = try bisect("--bad", "9", "--run", skipping).json()[0]
        #expect(found["candidates"].map(JSONValue.text) == "[1,2,6,7,8,9]")
        let text = try ToolProcess.run("bisect", store, "--bad", "9", "--run", skipping).output
        #expect(text.contains("one of 6 versions from 1 to 9 is the first bad one\n"), "\(text)")
        let printed = text.split(separator: "\n").filter { $0.hasPrefix("version ") && $0.contains("Z  ") }
        #expect(printed.map { $0.split(separator: " ")[1] } == ["9", "8", "7", "6", "2", "1"])
        _ = folder
    }

    @Test(arguments: [UndoScope.shared, .origin], 1...4)
    func `The versions that led to one are those of a naive reading`(scope: UndoScope, round: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var history = RandomHistory(seed: seed)
        let path = folder.file("history")
        try history.make(at: path, edits: 120, undoScope: scope)
        let store = try StoreFile(path: path).open(isReadOnly: true)
        var commits: [Commit] = []
        try store.forEachCommit(in: Version(1)...store.version) { commits.append($0) }
        func commit(_ version: Version) -> Commit { commits[Int(version.rawValue) - 1] }
        /// The revisions from one up to the root, by parents.
        func revisions(_ version: Version) -> [Version] {
            Array(sequence(first: version) { commit($0).parent.flatMap { $0 == .empty ? nil : $0 } })
        }
        func before(_ version: Version) -> Version {
            let previous = Version(version.rawValue - 1)
            guard commit(version).cause.isMove, commit(version).scope == .shared, let after = commit(version).history
            else { return previous }
            let next = revisions(after.tip).first { commit($0).parent == after.position }
            return next.map { Version($0.rawValue - 1) } ?? after.position
        }
        for version in commits.map(\.version) {
            let naive = sequence(first: version) { $0 == .empty ? nil : before($0) }.reversed()
            let found = try store.lineage(of: version)
            #expect(Array(found.joined()) == Array(naive), "seed \(seed), version \(version)")
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
            // It has all revisions up to the root, and no others.
            if scope == .shared, commit(version).parent != nil {
                let tracked = naive.filter { $0 != .empty && commit($0).parent != nil }
                #expect(tracked == revisions(version).reversed(), "seed \(seed), version \(version)")
            }
        }
        // What the search finds is bad, and what comes before it is good.
        for count in 0..<(try store.snapshot.itemCount) {
            let judge = Bisection.Judge.condition(try RowCondition("count > \(count)"))
            func isBad(_ version: Version) throws -> Bool {
                try judge.verdict(store.snapshot(at: version), store.source) == .bad
            }
            var bisection = Bisection(store, judge)
            let found = try bisection.run(good: .empty, bad: store.version) { _, _ in }
            #expect(found.count == 1)
            let lineage = try store.lineage(of: store.version).joined()
            #expect(lineage.contains(found.first), "seed \(seed)")
            #expect(try isBad(found.first) && !isBad(before(found.first)), "seed \(seed)")
        }
        let lineages = try commits.map { try (version: $0.version, runs: store.lineage(of: $0.version)) }
        try store.close()
        // What was compacted away is one version.
        let base = Version(40)
        try UntypedStore.compact(at: path, Compaction(keeping: .from(base)))
        let compacted = try StoreFile(path: path).open(isReadOnly: true)
        #expect(compacted.oldestVersion == base)
        for (version, runs) in lineages where version >= base {
            let found = try compacted.lineage(of: version).joined()
            let expected = [base] + runs.joined().filter { $0 > base }
            #expect(Array(found) == expected, "seed \(seed), version \(version)")
        }
        #expect(throws: ListError.droppedVersion(Version(39), oldest: base)) { try compacted.lineage(of: Version(39)) }
        try compacted.close()
    }

    @Test(arguments: [
        ("", "character 1: expected count"), ("count", "character 6: expected one of = !="),
        ("count >", "expected a number"),
        ("count > 1 2", "character 11: expected and, or, or the end"), ("(count > 1", "expected )"),
        ("row", "expected an id"),
        ("row 7", "expected exists, checked, contains or in"), (#"contains "a"#, "expected a quotation mark"),
        (#"contains " ""#, "expected at least one word"), ("section x", "expected count, contains or exists"),
        (String(repeating: "(", count: 200), "expected at most 100 levels"), ("count ≥ 1", "expected one of"),
    ])
    func `What is no condition is refused, with the place`(text: String, expected: String) {
        let error = #expect(throws: ConditionError.self) { try RowCondition(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test func `The next version is the nearest to the middle that was not skipped`() {
        #expect(Bisection.next(between: 0, 8, []) == 4)
        #expect(Bisection.next(between: 0, 8, [4]) == 5)
        #expect(Bisection.next(between: 0, 8, [4, 5]) == 3)
        #expect(Bisection.next(between: 3, 4, []) == nil)
        #expect(Bisection.next(between: 2, 5, [3, 4]) == nil)
        // Against a search through all of them.
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let low = UInt64.random(in: 0...20, using: &random)
            let high = low + UInt64.random(in: 1...20, using: &random)
            let skipped = Set((low...high).filter { _ in Bool.random(using: &random) })
            let middle = low + (high - low) / 2
            let free = (low...high).dropFirst().dropLast().filter { !skipped.contains($0) }
            let nearest = free.map { $0 > middle ? $0 - middle : middle - $0 }.min()
            let found = Bisection.next(between: low, high, skipped)
            #expect(found.map { $0 > middle ? $0 - middle : middle - $0 } == nearest, "seed \(seed)")
        }
    }
}
