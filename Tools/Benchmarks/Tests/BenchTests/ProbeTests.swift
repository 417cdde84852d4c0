// Tests the program that the benchmarks start for measurements in a fresh process.

import BenchSupport
import Foundation
import ListModel
import Listory
import ProbeSupport
import TestSupport
import Testing

struct ProbeTests {
    private static let rowCount = 100

    /// A store of a hundred rows in two commits. Always holds: it has no checkpoint.
    private struct SmallStore {
        private let folder: TemporaryFolder
        var path: String { folder.file("list") }

        init() throws {
            folder = try TemporaryFolder()
            var options = StoreOptions()
            options.checkpoints = .never
            options.coalescing = .never
            let store = try UntypedStore.create(at: path, options: options)
            try store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
            for half in [0..<ProbeTests.rowCount / 2, ProbeTests.rowCount / 2..<ProbeTests.rowCount] {
                let items = half.map { NewRow(id: .integer(Int64($0)), content: Array("row \($0)".utf8)) }
                try store.edit("Import") { try $0.insert(items, at: .end(ofSection: "today")) }
            }
            try store.close()
        }
    }

    private static func program() throws -> ProbeProgram {
        try ProbeProgram(path: executable(Probe.program).path)
    }

    /// A program that was built with the tests.
    private static func executable(_ name: String) throws -> URL {
        let places =
            [URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath(), Bundle.main.bundleURL]
            + Bundle.allBundles.map(\.bundleURL)
        return try #require(
            places.flatMap { [$0, $0.deletingLastPathComponent()] }.map { $0.appendingPathComponent(name) }
                .first { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true })
    }

    @Test func theArgumentsSayWhatIsAskedFor() {
        let probes = [
            Probe.opening(path: "a list", id: -7), .memory(path: "list"), .history(path: "opening"),
            .neighbour(path: "list", updateCount: 3),
        ]
        for probe in probes {
            #expect(Probe(probe.arguments) == probe)
            #expect(Probe(probe.arguments.dropLast()) == nil)
            #expect(Probe(probe.arguments + ["more"]) == nil)
        }
        #expect(Probe(["opening", "list", "seven"]) == nil)
        #expect(Probe(["closing", "list"]) == nil)
    }

    @Test func anOpeningIsMeasured() throws {
        let small = try SmallStore()
        let before = MonotonicClock.now
        let opening = try Self.program().result(of: .opening(path: small.path, id: 7), as: OpeningResult.self)
        let after = MonotonicClock.now
        #expect(before < opening.readyAt && opening.readyAt < after)
        #expect(opening.firstRows > 0 && opening.firstEdit > 0)
        #expect(opening.firstRows + opening.firstEdit < after - before)
        if ProcessMemory.current() != nil { #expect(try #require(opening.residentBytes) > 0) }
        // The edit was made, and the store was closed.
        let store = try UntypedStore.open(at: small.path)
        #expect(try store.snapshot.sections[0].items[7].isChecked)
        try store.close()
    }

    @Test(.enabled(if: ProcessMemory.current() != nil, "the kernel does not say"))
    func memoryIsMeasured() throws {
        let small = try SmallStore()
        let rows = try Self.program().result(of: .memory(path: small.path), as: MemoryResult.self)
        #expect(rows.rowCount == Self.rowCount)
        #expect(rows.itemArrayBytes == Self.rowCount * MemoryLayout<UntypedRow>.stride)
        let history = try Self.program().result(of: .history(path: small.path), as: HistoryResult.self)
        #expect(history.bytes > 0)
    }

    @Test func theEditsOfAnotherProcessAreSeen() throws {
        let small = try SmallStore()
        let store = try UntypedStore.open(at: small.path)
        let seen = try Self.program().result(of: .neighbour(path: small.path, updateCount: 3), as: NeighbourResult.self)
        {
            try store.edit(NeighbourResult.nameOfEdit) { try $0.toggle(.item(7)) }
            Thread.sleep(forTimeInterval: 0.01)
        }
        try store.close()
        #expect(seen.delays.count == 3 && seen.delays.allSatisfy { $0 > 0 })
    }

    @Test func theProbeRunsAProgram() throws {
        let command = Probe.command(program: "/bin/echo", arguments: ["two", "words"])
        #expect(Probe(command.arguments) == command)
        let result = try Self.program().result(of: command, as: CommandResult.self)
        #expect(result.firstByte > 0 && result.peakBytes > 1 << 16)
        #expect(result.firstByte <= result.duration)
        let silent = Probe.command(program: "/bin/true", arguments: [])
        let ended = try Self.program().result(of: silent, as: CommandResult.self)
        #expect(ended.firstByte == ended.duration)
        for failing in ["/bin/false", "/nothing"] {
            #expect(throws: ProbeProgram.Failed.self, "it fails, or is not there: \(failing)") {
                try Self.program().result(of: .command(program: failing, arguments: []), as: CommandResult.self)
            }
        }
    }

    @Test func aProbeThatFailsIsAnError() throws {
        let folder = try TemporaryFolder()
        #expect(throws: ProbeProgram.Failed.self) {
            try Self.program().result(of: .memory(path: folder.file("nothing")), as: MemoryResult.self)
        }
    }

    @Test func aMissingProgramIsSaid() throws {
        let path = try TemporaryFolder().file(Probe.program)
        let error = #expect(throws: ProbeProgram.Missing.self) { try ProbeProgram(path: path) }
        #expect(error?.description.contains(path) == true)
    }

    #if os(Linux)
    /// A program contains the names of the libraries that it loads.
    @Test func theProgramLoadsNoMoreThanTheLibraryDoes() throws {
        let probe = try Data(contentsOf: Self.executable(Probe.program))
        for name in ["libFoundation.so", "libFoundationInternationalization.so", "lib_FoundationICU.so"] {
            #expect(probe.range(of: Data(name.utf8)) == nil, "\(name)")
        }
        // The control: the benchmarks need Foundation, and contain its name.
        let bench = try Data(contentsOf: Self.executable("bench"))
        #expect(bench.range(of: Data("libFoundation.so".utf8)) != nil)
    }
    #endif

    @Test func theKernelsStatusIsRead() throws {
        let status = "Name:\tpeers\nVmHWM:\t    3000 kB\nRssAnon:\t    1000 kB\nRssFile:\t     500 kB\nThreads:\t1\n"
        let memory = try #require(ProcessMemory(status: status.utf8))
        #expect(memory.privateBytes == 1_024_000)
        #expect(memory.mappedBytes == 512_000)
        #expect(memory.peakBytes == 3_072_000)
        #expect(ProcessMemory(status: "Name:\tpeers\n".utf8) == nil)
        // A name that ends like a wanted one, and a value that contains one.
        let other = "NotVmHWM:\t1 kB\nxRssAnon:\t1 kB\nName:\tRssFile: 1 kB\n"
        #expect(try #require(ProcessMemory(status: (status + other).utf8)).peakBytes == 3_072_000)
        #expect(ProcessMemory(status: other.utf8) == nil)
    }

    @Test(.enabled(if: ProcessMemory.current() != nil, "the kernel does not say"))
    func theKernelSaysWhatThisProcessTakes() throws {
        let count = 64 << 20
        let bytes = [UInt8](repeating: 1, count: count)
        let memory = try #require(ProcessMemory.current())
        // Other tests run at the same time, so the growth cannot be compared.
        #expect(memory.privateBytes > count && memory.privateBytes < 1_000 * count)
        #expect(memory.mappedBytes > 0)
        #expect(memory.peakBytes >= count)
        #expect(bytes[count - 1] == 1)
    }
}
