// Tests `listory extract` with --where and --failing: nothing is left that could be left out, and the test that it writes
// compiles and fails in the same way.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct ReductionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Conditions on what random histories do. Some of them never hold, or hold from the beginning.
    private static let conditions = [
        "count > 4", "sections > 1 and count > 2", "row 3 checked", "row 2 exists and not row 1 exists",
        "not row 1 exists", "contains x", "row 4 exists and row 2 exists", "sections = 0 or row 5 exists",
    ]

    @Test(arguments: 0..<6 * Soak.factor)
    func `Of a random history, nothing is left that could be left out`(round: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var history = RandomHistory(seed: seed)
        let path = folder.file("old")
        try history.make(at: path, edits: 40, undoScope: .shared)
        let store = try StoreFile(path: path).open(isReadOnly: true)
        for text in ReductionTests.conditions {
            let judge = Bisection.Judge.condition(try RowCondition(text))
            func isBad(_ rows: UntypedSnapshot, _ source: any CommitSource) throws -> Bool {
                try judge.verdict(rows, source) == .bad
            }
            let newest = try store.snapshot
            guard try isBad(newest, store.source), try !isBad(.empty, store.source) else { continue }
            let reduction = try Reduction(
                Version(1)...newest.version, of: store, judge, keepsContents: true, limit: .seconds(1_000_000))
            let list = reduction.list
            #expect(
                try !isBad(store.snapshot(at: Version(reduction.version.rawValue - 1)), store.source),
                "seed \(seed): \(text)")
            #expect(try isBad(store.snapshot(at: reduction.version), store.source), "seed \(seed): \(text)")
            #expect(try isBad(list.end, list.log) && !isBad(list.start, list.log), "seed \(seed): \(text)")
            #expect(!reduction.isCutOff && list.commits.count == 1, "seed \(seed): \(text)")
            let omissions =
                list.eventParts.map { ShortList.Omission(events: [$0]) }
                + (list.sectionParts + list.rowParts).map { ShortList.Omission(subjects: [$0]) }
            for omission in omissions {
                let shorter = try ShortList(list, without: omission)
                let goesWrong = try isBad(shorter.end, shorter.log) && !isBad(shorter.start, shorter.log)
                #expect(!goesWrong, "seed \(seed): \(text): \(omission)")
            }
            // The store has the same rows.
            let made = try StoreFile(path: folder.file("new \(text.hashValue)")).create {
                try Extraction.write(list, to: $0)
            }
            #expect(made.stateHash == list.end.stateHash, "seed \(seed): \(text)")
        }
        try store.close()
    }

    /// Rows from 1 on that are checked and renamed, and one edit that also spoils row 60.
    private func makeStore(eventCount: Int = 2_000) throws -> String {
        var random = SeededGenerator(seed: 21)
        var requests =
            #"{"insertSection":{"id":"today","title":"To \"do\""}}"# + "\n{\"insertSection\":{\"id\":\"done\"}}\n"
        var count = 0
        for index in 0..<eventCount {
            if index == eventCount * 3 / 4 {
                requests += """
                    {"begin":"Bad\\nedit"}
                    {"toggle":{"id":8}}
                    {"update":{"id":60,"content":{"title":"Spoiled\\"\\\\ \\u202e#\\"# crème"}}}
                    {"move":{"id":60,"section":"done","at":0}}
                    {"end":{}}

                    """
            } else if count < 100 || Bool.random(using: &random) {
                count += 1
                requests += #"{"insert":{"id":\#(count),"content":{"title":"Row \#(count)"},"section":"today"}}"# + "\n"
            } else {
                requests += #"{"toggle":{"id":\#(Int.random(in: 1...count, using: &random))}}"# + "\n"
            }
        }
        let store = folder.file("store")
        for result in [
            try ToolProcess.run("new", store), try ToolProcess.run("exec", store, input: requests),
        ] {
            try #require(result.status == .success, "\(result.errors)")
        }
        return store
    }

    @Test func `A planted edit is one event and one row, and its test fails in the same way`() throws {
        let store = try makeStore()
        var tests: [String] = []
        for (index, options) in [
            ["--where", "row 60 in done"], ["--where", #"section done contains "spoiled creme""#, "--keep-contents"],
            ["--failing", "! grep -q crème", "--keep-contents"],
            // The members in the order of show, and the line break at the end.
            ["--failing", #"! grep -q '"id":60,"checked":[a-z]*,"content":{"title":"Spoiled'"#, "--keep-contents"],
            ["--failing", #"read -r line || exit 0; case "$line" in *Spoiled*) exit 1;; esac"#, "--keep-contents"],
        ].enumerated() {
            let (target, test) = (folder.file("target \(index)"), folder.file("Bad \(index)-tests.swift"))
            let result = try ToolProcess(["extract", store, "first..head", target, "--test", test] + options).finish()
            #expect(result.status == .success, "\(options): \(result.errors)")
            #expect(result.output.contains("1 commits, "), "\(options): \(result.output)")
            let log = try ToolProcess.log(target)
            // The second commit moves the row, or renames and moves it.
            try #require(log.count == 2 && log[1]["events"]?[2] == nil, "\(options)")
            let rows = try ToolProcess.run("show", target, "--json").json()
            let ids = rows[0]["sections"]?.rowIDs ?? []
            #expect(ids == [60], "\(options)")
            tests.append(test)
        }
        // All kinds of events; a program that says that exactly these rows are wrong.
        let all = try everything()
        let rows = try ToolProcess.run("show", all, "--json").output
        let shown = rows.trimmingCharacters(in: .newlines).replacingOccurrences(of: "'", with: #"'\''"#)
        let test = folder.file("Everything.swift")
        let result = try ToolProcess.run(
            "extract", all, "2", folder.file("all"), "--keep-contents", "--test", test, "--failing",
            "! grep -qF '\(shown)'")
        #expect(result.status == .success, "\(result.errors)")
        // No word is in a boolean or in null, so these rows are wrong.
        let (kept, typed) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s"}}
            {"insert":{"id":1,"content":{"title":"Milk","done":true,"due":null},"section":"s"}}

            """)
        let words = folder.file("Words.swift")
        let searched = try ToolProcess.run(
            "extract", typed, "first..head", folder.file("words"), "--keep-contents", "--test", words, "--where",
            "row 1 contains milk and not (row 1 contains null or row 1 contains true or row 1 contains 1)")
        #expect(searched.status == .success, "\(searched.errors)")
        withExtendedLifetime(kept) {}
        let found = try RunTests.run(tests + [test, words])
        for suite in ["Bad0tests", "Bad1tests", "Bad2tests", "Bad3tests", "Bad4tests", "Everything", "Words"] {
            #expect(found.contains("✘ Suite \(suite) failed"), "\(found)")
        }
        // Each of them has the one issue that it is about.
        #expect(found.contains("7 tests in 7 suites failed") && found.contains("with 7 issues"), "\(found)")
    }

    @Test(.enabled(if: Soak.isEnabled), arguments: [["--where", "row 60 in done"], ["--failing", "! grep -q crème"]])
    func `Of a hundred thousand events, one percent or less is left within a minute`(judge: [String]) throws {
        let eventCount = 100_000
        let (store, target) = (try makeStore(eventCount: eventCount), folder.file("target"))
        let start = ContinuousClock.now
        let result = try ToolProcess(
            ["extract", store, "first..head", target, "--keep-contents", "--seconds", "45"] + judge
        ).finish()
        let duration = ContinuousClock.now - start
        #expect(result.status == .success, "\(result.errors)")
        let commits = try ToolProcess.log(target)
        let left = commits.reduce(0) { sum, commit in
            guard case .array(let events)? = commit["events"] else { return sum }
            return sum + events.count
        }
        print("\(judge): \(left) of \(eventCount) events in \(duration)")
        #expect(left > 0 && left * 100 <= eventCount && duration < .seconds(60), "\(result.output)")
    }

    /// A store whose second commit has an event of each kind.
    private func everything() throws -> String {
        let path = folder.file("everything")
        let store = try UntypedStore.create(at: path)
        func row(_ id: UntypedID, _ text: String, depth: Int = 0) -> NewRow {
            NewRow(id: id, content: Array(text.utf8), depth: depth)
        }
        try store.edit("Before") { list in
            try list.insertSection(
                NewSection(
                    id: 1, title: "“One” \"1\"", items: (1...9).map { row(.integer($0), "{\"title\":\"\($0)\"}") }))
            try list.insertSection(NewSection(id: "two", items: [row(.uuid(UUID()), "no \"JSON\"")]))
            try list.insertSection(NewSection(id: "three"))
        }
        try store.edit("All \"kinds\"\u{202E}", origin: "anna", isDiscardable: true) { list in
            try list.reload([
                NewSection(id: 1, title: "One", items: (1...12).map { row(.integer($0), "{\"title\":\"\($0)\"}") }),
                NewSection(id: "two", title: "#\"#", items: [row("a\\", "\u{301}\n\\u{41}\r\t\"##")]),
                NewSection(id: "three"), NewSection(id: "four", items: [row("c", "c")]),
            ])
            try list.insert(
                [NewRow(id: "b", isChecked: true, content: [0xFF, 0, 1], depth: 0), row(-7, "", depth: 1)],
                at: .after(3))
            try list.delete(.items([1, 5, 6]))
            try list.move(.items([2, 3]), to: .end(ofSection: "two"))
            try list.setChecked(true, for: .item(9))
            try list.update(8, content: ContentEnvelope(version: 2, content: Array("{\"title\":8}".utf8)).bytes)
            try list.changeDepth(of: .items([9]), by: 1)
            try list.setCollapsed(true, for: 8)
            try list.insertSection(NewSection(id: "five", title: "Five", items: [row(100, "100")]), at: .at(1))
            try list.deleteSection(.section("four"))
            try list.moveSection(.section("three"), to: .at(0))
            try list.renameSection(.section(1), to: "One more")
        }
        try store.close()
        return path
    }

    @Test func `Rows that are wrong only in what they say need their contents`() throws {
        let store = try makeStore()
        let target = folder.file("target")
        let result = try ToolProcess.run("extract", store, "first..head", target, "--where", "row 60 contains spoiled")
        #expect(result.status == .refused && result.errors.contains("--keep-contents"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: target))
        // What is out of time is not the least, but goes wrong as well.
        let short = try ToolProcess.run(
            "extract", store, "first..head", target, "--where", "row 60 in done", "--seconds", "0")
        #expect(short.status == .success && short.output.contains("the time was up"), "\(short.errors)")
        #expect(try ToolProcess.run("bisect", target, "--where", "row 60 in done").status == .success)
    }

    @Test func `An edit that becomes two events without an earlier one can be copied again`() throws {
        let path = folder.file("store")
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { list in
            for id in ["from", "to"] { try list.insertSection(NewSection(id: .string(id), title: id)) }
            for id in [1, 9, 2] as [Int64] {
                try list.insert(NewRow(id: .integer(id), content: [1]), at: .end(ofSection: "from"))
            }
        }
        try store.edit("Apart") { try $0.delete(.item(9)) }
        try store.edit("Move") { try $0.move(.items([1, 2]), to: .end(ofSection: "to")) }
        let whole = try ShortList(Version(2)...Version(3), of: store, keepsContents: true)
        #expect(whole.commits.map(\.events.count) == [1, 1])
        let shorter = try ShortList(whole, without: ShortList.Omission(commits: [0]))
        #expect(shorter.commits.map(\.events.count) == [2])
        let again = try ShortList(shorter, without: ShortList.Omission())
        #expect(again.end.stateHash == shorter.end.stateHash)
        try store.close()
    }

    @Test func `What cannot be searched for is refused`() throws {
        let store = try makeStore()
        let target = folder.file("target")
        for (options, status) in [
            (["--where", "count > 5", "--failing", "true"], ExitStatus.usage), (["--where", "count >"], .usage),
            (["--test", folder.file("x.swift")], .usage), (["--where", "count > 5", "--seconds", "-1"], .usage),
            (["--where", "count > 10000"], .refused), (["--where", "count >= 0"], .refused),
            (["--where", "count > 5", "--test", store], .refused), (["--failing", "exit 126"], .refused),
        ] {
            let result = try ToolProcess(["extract", store, "first..head", target] + options).finish()
            #expect(result.status == status, "\(options): \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: target), "\(options)")
        }
    }
}

extension JSONValue {
    /// The ids of the rows of sections.
    fileprivate var rowIDs: [JSONValue] {
        guard case .array(let sections) = self else { return [] }
        return sections.flatMap { section -> [JSONValue] in
            guard case .array(let rows)? = section["items"] else { return [] }
            return rows.compactMap { $0["id"] }
        }
    }
}

/// Compiles files of tests against the modules that were built with these tests, and runs them.
private enum RunTests {
    /// The output of the tests.
    static func run(_ files: [String]) throws -> String {
        let folder = try TemporaryFolder()
        let (main, program) = (folder.file("main.swift"), folder.file("tests"))
        try Data("import Testing\nawait Testing.__swiftPMEntryPoint() as Never\n".utf8)
            .write(to: URL(fileURLWithPath: main))
        let built = try ToolProcess.executable("listory").deletingLastPathComponent()
        // What is linked into the tests: objects of sources that are gone are not in the list.
        let list = built.appending(path: "listory-toolsPackageTests.product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.contains(/\/(LMDB|ListModel|Listory)\.build\//) }
        let sources = URL(fileURLWithPath: #filePath).appending(path: "../../../../Sources").standardized
        let headers = ["CLMDB", "CZlib"].flatMap { ["-I", sources.appending(path: $0).path] }
        let compiler = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["swiftc", "-Onone", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Extracted"]
                + ["-I", built.appending(path: "Modules").path, main] + headers + files + objects
                + ["-llmdb", "-lz", "-o", program])
        try #require(compiler.status == 0, "\(compiler.output)")
        return try run(URL(fileURLWithPath: program), []).output
    }

    private static func run(_ program: URL, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        (process.executableURL, process.arguments) = (program, arguments)
        // The variables of this test run would make the program write its events into the same file.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWIFT_TESTING") }
        let output = try startingAlone {
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
            return output
        }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
