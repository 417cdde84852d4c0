// Checks that a folder uses only folders below it.
//
// The order of the rooms is that of the list in Docs/Design/Architecture.md, which this test reads.

import Foundation
import Testing

@Suite("Rooms")
struct LayerTests {
    /// The folder of the project.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A module, its rooms from the uppermost to the lowest, and the folder of its sources.
    struct Module: CustomStringConvertible, Sendable {
        let name: String
        var order: [String] = []

        /// The folder of the package; empty for that of the library.
        var package: Substring { name.split(separator: "Sources/", omittingEmptySubsequences: false)[0] }

        var folder: URL { LayerTests.root.appending(path: name) }
        var description: String { name }

        /// All files of the module, in the order of their paths.
        func files() throws -> [SourceFile] {
            let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))?.allObjects ?? []
            let sources = paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
            return try sources.sorted().map { path in
                let parts = path.split(separator: "/")
                return SourceFile(
                    room: parts.count > 1 ? String(parts[0]) : "", name: String(parts.last!),
                    text: try String(contentsOf: folder.appending(path: path), encoding: .utf8))
            }
        }
    }

    /// The modules of the list, the uppermost first.
    static let modules: [Module] = {
        let page = root.appending(path: "Docs/Design/Architecture.md")
        guard let text = try? String(contentsOf: page, encoding: .utf8),
            let list = text.split(separator: "```rooms\n").dropFirst().first?.split(separator: "```").first
        else { return [] }
        var modules: [Module] = []
        for line in list.split(separator: "\n") {
            let name = String(line.drop { $0 == " " }.prefix { $0 != " " })
            if line.hasPrefix(" ") {
                modules[modules.count - 1].order.append(name)
            } else {
                modules.append(Module(name: name))
            }
        }
        return modules
    }()

    /// The names that the modules below one declare: those after it in its package, and for a tool the library.
    static func namesBelow(_ module: Module) throws -> Set<Substring> {
        let below = modules.drop { $0.name != module.name }.dropFirst().filter { $0.package == module.package }
        let library = module.package.isEmpty ? [] : modules.filter(\.package.isEmpty)
        return try (below + library).reduce(into: []) { names, module in
            for file in try module.files() { names.formUnion(SourceWords(file.text).declared) }
        }
    }

    @Test("the list of files to which an event is added names all that know an event")
    func everyPlaceOfAnEventIsListed() throws {
        let page = try String(
            contentsOf: LayerTests.root.appending(path: "Docs/Design/Architecture.md"), encoding: .utf8)
        let list = try #require(page.split(separator: "```events\n").dropFirst().first?.split(separator: "```").first)
        let listed = Set(list.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })
        var found: Set<String> = []
        for folder in ["Sources", "Tools/Sources"] {
            let base = LayerTests.root.appending(path: folder)
            let files = FileManager.default.enumerator(atPath: base.path(percentEncoded: false))?.allObjects ?? []
            for case let path as String in files where path.hasSuffix(".swift") {
                // A kind that nothing treats apart.
                let text = try String(contentsOf: base.appending(path: path), encoding: .utf8)
                if text.contains("itemCollapsed") { found.insert("\(folder)/\(path)") }
            }
        }
        let commands = found.filter { $0.hasPrefix("Sources/ListModel/Editing/") }
        #expect(!commands.isEmpty && found.subtracting(commands) == listed)
    }

    /// Modules that have no rooms.
    static let modulesWithoutRooms: Set = [
        "Sources/CLMDB", "Sources/CZlib", "Tools/Sources/Tool", "Tools/Sources/CTerminal", "Tools/Sources/CAllocator",
        "Tools/Benchmarks/Sources/BenchProbe",
        "Tools/Benchmarks/Sources/ProbeSupport", "Tools/Benchmarks/Sources/RawLMDB",
        "Tools/Inspector/Sources/Program",
        "Tools/Examples/TodoWindow/Sources/CGTK", "Tools/Examples/TodoWindow/Sources/CListRows",
        "Tools/Examples/TodoWindow/Sources/Todo", "Tools/Examples/TodoServer/Sources/Program",
        "Tools/Examples/NoteEditor/Sources/Program",
    ]

    @Test(
        "the list of rooms has every module of the library, of the tools and of the examples",
        arguments: [
            "Sources", "Tools/Sources", "Tools/Inspector/Sources", "Tools/Benchmarks/Sources",
            "Tools/Examples/TodoWindow/Sources", "Tools/Examples/TodoServer/Sources",
            "Tools/Examples/NoteEditor/Sources",
        ])
    func everyModuleIsListed(_ folder: String) throws {
        let sources = LayerTests.root.appending(path: folder)
        let present = try FileManager.default.contentsOfDirectory(atPath: sources.path(percentEncoded: false))
        let listed = Set(LayerTests.modules.map(\.name)).union(LayerTests.modulesWithoutRooms)
        for name in present.sorted() { #expect(listed.contains("\(folder)/\(name)"), "\(name) is not in the list") }
    }

    @Test("every folder is a room of the list, and every room is a folder", arguments: modules)
    func everyFolderIsListed(_ module: Module) throws {
        let rooms = Set(try module.files().map(\.room))
        // The program of a tool stands beside the rooms that it uses; a library has everything in a room.
        let isLoose = module.order.isEmpty || !module.package.isEmpty
        #expect(rooms.subtracting(module.order).subtracting(isLoose ? [""] : []).sorted() == [], "not in the list")
        #expect(Set(module.order).subtracting(rooms).sorted() == [], "not a folder")
    }

    @Test("no folder uses a name of a folder above it", arguments: modules)
    func arrowsPointDown(_ module: Module) throws {
        let rooms = SourceRooms(
            order: [""] + module.order, files: try module.files(), namesBelow: try LayerTests.namesBelow(module))
        for use in rooms.upwardUses() { Issue.record("\(use)") }
    }

    @Test("a use of a type or a member of a folder above is reported with its line")
    func breachesAreFound() throws {
        let module = try #require(LayerTests.modules.first { $0.name == "Sources/ListModel" })
        let lowest = try #require(module.order.last)
        for (line, word) in [
            ("let editor: UntypedEditor", "UntypedEditor"), ("snapshot.checkInvariants()", "checkInvariants"),
        ] {
            let breach = SourceFile(
                room: lowest, name: "Breach.swift", text: "// UntypedEditor\nlet text = \"UntypedEditor\"\n\(line)\n")
            let rooms = SourceRooms(order: module.order, files: try module.files() + [breach])
            let uses = rooms.upwardUses().filter { $0.file == "\(lowest)/Breach.swift" }
            #expect(uses.map(\.word) == [word])
            #expect(uses.map(\.line) == [3])
        }
    }

    @Test("two rooms that use each other are reported in any order of the list")
    func circlesAreFound() {
        let files = [
            SourceFile(room: "A", name: "A.swift", text: "struct Upper { let other: Lower }"),
            SourceFile(room: "B", name: "B.swift", text: "struct Lower { func find() -> Upper? { nil } }"),
        ]
        #expect(SourceRooms(order: ["A", "B"], files: files).upwardUses().map(\.word) == ["Upper"])
        #expect(SourceRooms(order: ["B", "A"], files: files).upwardUses().map(\.word) == ["Lower"])
    }
}
