// Tests the program with several browsers over real connections.

import Foundation
import Listory
import TestSupport
import Testing

@Suite("A server of one list", .serialized)
struct ServerTests {
    private let folder: TemporaryFolder
    private var file: String { folder.file("todo.listory") }

    init() throws { folder = try TemporaryFolder() }

    @Test("Browsers that edit at the same time all end with the rows of the store", arguments: [1, 2])
    func together(seed: UInt64) throws {
        let server = try Server(file)
        let browsers = try (0..<3).map { _ in try Browser(server) }
        let listeners = try browsers.map { try $0.listen().begin() }
        try Self.editAtRandom(browsers, seed: seed)
        try Self.compare(listeners, with: browsers[0])
    }

    /// Makes random edits, of all kinds and from all browsers.
    private static func editAtRandom(_ browsers: [Browser], seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var ids: [UUID] = []
        for step in 0..<60 * Soak.factor {
            let browser = browsers.randomElement(using: &random)!
            guard let id = ids.randomElement(using: &random), !random.oneIn(4) else {
                ids.append(
                    try browser.insert("to-do \(step) “\(Character(UnicodeScalar(0x1F600 + step % 60)!))” \\ \" <b>"))
                continue
            }
            let other = ids.randomElement(using: &random)!
            switch random.below(7) {
            case 0: try browser.post("/toggle", #"{"id":"\#(id)","isDone":\#(random.oneIn(2))}"#)
            case 1: try browser.post("/rename", #"{"id":"\#(id)","title":"renamed \#(step)"}"#)
            case 2: try browser.post("/move", #"{"id":"\#(id)","before":"\#(other)"}"#)
            case 3: try browser.post("/move", #"{"id":"\#(id)","before":null}"#)
            case 4: try browser.post("/delete", #"{"id":"\#(id)"}"#)
            case 5: try browser.post("/undo")
            default: try browser.post("/redo")
            }
        }
    }

    /// Compares what listeners show with what a new one gets.
    @discardableResult
    private static func compare(_ listeners: [Listener], with browser: Browser) throws -> [Row] {
        let fresh = try browser.listen().begin().wait("the rows") { $0.id != nil }
        for listener in listeners {
            let state = try listener.wait("the newest rows") { $0.id == fresh.id }
            #expect(state.rows == fresh.rows)
        }
        return fresh.rows
    }

    @Test("Several edits that are made at once are all there, and each browser gets them in one order")
    func atOnce() async throws {
        let server = try Server(file)
        let listeners = try (0..<3).map { _ in try Browser(server).listen().begin() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    guard let browser = try? Browser(server) else { return }
                    for step in 0..<10 { _ = try? browser.insert("\(number).\(step)") }
                }
            }
        }
        let rows = try Self.compare(listeners, with: Browser(server))
        for number in 0..<4 {
            let own = rows.map(\.title).filter { $0.hasPrefix("\(number).") }
            #expect(own == (0..<10).map { "\(number).\($0)" })
        }
    }

    @Test(
        "Browsers on two devices, whose stores `listory sync` keeps together, show the same rows, and one undoes its own step",
        .enabled(if: SharedList.isAvailable, "the package Tools/Sync has to be built first, and nats-server installed"))
    func devices() throws {
        let files = [file, folder.file("other.listory")]
        let shared = try SharedList(files, in: folder.path)
        defer { shared.end() }
        let servers = try files.map { try Server($0) }
        let browsers = try servers.map { try Browser($0) }
        let listeners = try browsers.map { try $0.listen().begin() }
        let milk = try browsers[0].insert("Milk")
        try listeners[1].wait("the row of the other device") { $0.rows.map(\.title) == ["Milk"] }
        let tea = try browsers[1].insert("Tea")
        try browsers[1].post("/toggle", #"{"id":"\#(milk)","isDone":true}"#)
        func wait(_ what: String, isDone: Bool) throws {
            let rows = [Row(id: milk, title: "Milk", isDone: isDone), Row(id: tea, title: "Tea", isDone: false)]
            for listener in listeners { try listener.wait(what) { $0.rows == rows } }
        }
        try wait("the checkmark", isDone: true)
        try browsers[1].post("/undo")
        try wait("the undo", isDone: false)
    }

    @Test("The script of the page plays the events to the same rows", .enabled(if: Node.exists))
    func script() throws {
        let server = try Server(file)
        let browsers = try (0..<2).map { _ in try Browser(server) }
        let listener = try browsers[0].listen().begin()
        try Self.editAtRandom(browsers, seed: 3)
        let fresh = try browsers[0].listen().begin().wait("the rows") { $0.id != nil }
        let heard = try listener.wait("the newest rows") { $0.id == fresh.id }
        let script = try Browser.request(server.port, "GET /rows.js", browsers[0].fields).body
        let events = heard.events.map(\.data).joined(separator: ",")
        let program = """
            \(script.replacingOccurrences(of: "export ", with: ""))
            let rows = [];
            for (const event of [\(events)]) rows = event.rows ?? played(rows, event);
            console.log(JSON.stringify(rows));
            """
        let output = try Node.run(program)
        #expect(try JSONDecoder().decode([Row].self, from: Data(output.utf8)) == fresh.rows)
    }

    @Test(
        "The page puts rows in any order without moving the one that is being renamed, whose field would lose the focus",
        .enabled(if: Node.exists))
    func renamedRow() throws {
        let server = try Server(file)
        let script = try Browser.request(server.port, "GET /rows.js", Browser(server).fields).body
        // In each order of the rows a to d, of which d is new, while another one vanishes.
        let program = """
            \(script.replacingOccurrences(of: "export ", with: ""))
            let children, moved;
            const make = (name) => ({ name, get nextElementSibling() { return children[children.indexOf(this) + 1] ?? null; } });
            const list = {
              get firstElementChild() { return children[0] ?? null; },
              insertBefore(item, place) {
                moved.push(item);
                children = children.filter((each) => each !== item);
                children.splice(place ? children.indexOf(place) : children.length, 0, item);
              },
              append(item) { this.insertBefore(item, null); },
            };
            const [a, b, c, d, vanishing] = ["a", "b", "c", "d", "vanishing"].map(make);
            const orders = (all) => (all.length < 2 ? [all] : all.flatMap((one) =>
              orders(all.filter((each) => each !== one)).map((rest) => [one, ...rest])));
            const names = (items) => items.map((each) => each.name).join(" ");
            for (const items of orders([a, b, c, d])) {
              for (const fixed of [undefined, a, b, c]) {
                [children, moved] = [[a, b, c, vanishing], []];
                arrange(list, items, fixed);
                const isRight = names(children) === `${names(items)} vanishing` && !moved.includes(fixed);
                if (!isRight) console.log(`${names(items)}, renaming ${fixed?.name}: ${names(children)}, moved ${names(moved)}`);
              }
            }
            """
        #expect(try Node.run(program) == "")
    }

    @Test(
        "A browser that connects again gets only what it missed, also from a server that was killed and started again")
    func again() throws {
        var server = try Server(file)
        var browser = try Browser(server)
        let first = try browser.insert("first")
        let second = try browser.insert("second")
        let listener = try browser.listen().begin()
        let before = try listener.wait("the rows") { $0.rows.count == 2 }
        listener.close()
        try browser.post("/move", #"{"id":"\#(first)","before":null}"#)
        try browser.post("/rename", #"{"id":"\#(second)","title":"two"}"#)
        for isRestarted in [false, true] {
            if isRestarted {
                server.kill()
                server = try Server(file)
                browser = try Browser(server)
            }
            let resumed = try browser.listen(since: before.id, isInQuery: isRestarted).begin(with: before.rows)
            let state = try resumed.wait("what was missed") { !$0.events.isEmpty }
            #expect(state.events.map(\.kind) == ["changes"])
            #expect(state.rows.map(\.title) == ["two", "first"])
            let message = try JSONDecoder().decode(Message.self, from: Data(state.events[0].data.utf8))
            #expect(message.inserts?.count == 0 && message.moves?.count == 1 && message.updates?.count == 1)
            // It goes on from there.
            try browser.post("/delete", #"{"id":"\#(isRestarted ? first : try browser.insert("third"))"}"#)
            try Self.compare([resumed], with: browser)
        }
    }

    @Test(
        "A browser with rows that the store does not know gets all rows",
        arguments: ["1-0000000000000000", "99-0123456789abcdef", "1", "", "x-y", "-1-0123456789abcdef"])
    func unknownRows(id: String) throws {
        let server = try Server(file)
        let browser = try Browser(server)
        try browser.insert("first")
        try browser.insert("second")
        let state = try browser.listen(since: id).begin().wait("the rows") { !$0.events.isEmpty }
        #expect(state.events[0].kind == "rows")
        #expect(state.rows.map(\.title) == ["first", "second"])
    }

    @Test("Each browser undoes and redoes its own edits, and others' later edits of the same rows are conflicts")
    func undo() throws {
        let server = try Server(file)
        let (one, other) = (try Browser(server), try Browser(server))
        let (listener, second) = (try one.listen().begin(), try other.listen().begin())
        let milk = try one.insert("Milk")
        try other.insert("Tea")
        #expect(try listener.wait("both") { $0.rows.count == 2 }.buttons.undo == "Add Milk")
        #expect(try second.wait("both") { $0.rows.count == 2 }.buttons.undo == "Add Tea")
        #expect(try one.post("/undo").status == 200)
        let undone = try listener.wait("the undo") { $0.rows.count == 1 }
        #expect(undone.rows.map(\.title) == ["Tea"])
        #expect(undone.buttons.undo == nil && undone.buttons.redo == "Add Milk")
        let nothing = try one.post("/undo")
        #expect(nothing.status == 409 && nothing.errorCode == "nothingToUndo")
        #expect(try one.post("/redo").status == 200)
        try other.post("/rename", #"{"id":"\#(milk)","title":"Bread"}"#)
        let conflict = try one.post("/undo")
        #expect(conflict.status == 409 && conflict.errorCode == "conflicts", "\(conflict)")
        let rows = try Self.compare([listener, second], with: one)
        #expect(rows.map(\.title) == ["Bread", "Tea"])
    }

    @Test("A row that cannot be read is shown as such, and can be checked, moved and deleted, but not renamed")
    func unreadable() throws {
        let (id, title) = (UUID(), "This row cannot be read")
        let store = try UntypedStore.create(at: file)
        try store.edit("Other") {
            let row = NewRow(id: .uuid(id), content: Array(#"{"id":"\#(id)"}"#.utf8))
            try $0.insertSection(NewSection(id: "todos", items: [row]))
        }
        try store.close()
        let server = try Server(file)
        let browser = try Browser(server)
        let listener = try browser.listen().begin()
        let milk = Row(id: try browser.insert("Milk"), title: "Milk", isDone: false)
        try listener.wait("both rows") { $0.rows == [Row(id: id, title: title, isDone: false), milk] }
        let refused = try browser.post("/rename", #"{"id":"\#(id)","title":"Bread"}"#)
        #expect(refused.status == 409 && refused.errorCode == "unreadable", "\(refused)")
        #expect(try browser.post("/toggle", #"{"id":"\#(id)","isDone":true}"#).status == 200)
        #expect(try browser.post("/move", #"{"id":"\#(id)","before":null}"#).status == 200)
        try listener.wait("the move") { $0.rows == [milk, Row(id: id, title: title, isDone: true)] }
        try Self.compare([listener], with: browser)
        #expect(try browser.post("/delete", #"{"id":"\#(id)"}"#).status == 200)
        try listener.wait("the end of the row") { $0.rows == [milk] }
    }

    @Test(
        "An edit that a full disk does not take is not answered as saved; it is saved when there is room",
        .enabled(if: MountedDisk.isPossible, "this process may not mount a disk"), arguments: [true, false])
    func fullDisk(isKilled: Bool) throws {
        let disk = try MountedDisk(megabytes: 4)
        let path = disk.path + "/todo.listory"
        var server = try Server(path)
        var browser = try Browser(server)
        var titles = ["first"]
        let id = try browser.insert(titles[0])
        try disk.fill()
        // What changes nothing has nothing to save.
        var answer = try browser.post("/toggle", #"{"id":"\#(id)","isDone":false}"#)
        #expect(answer.status == 200)
        // The file has some room of its own.
        repeat {
            titles.append("\(titles.count) \(String(repeating: "x", count: 490))")
            answer = try browser.post("/insert", #"{"title":"\#(titles[titles.count - 1])"}"#)
        } while answer.status == 200
        #expect(answer.status == 507 && answer.errorCode == "appendFailed", "\(answer)")
        if isKilled {
            server.kill()
            try disk.makeRoom()
            server = try Server(path)
            browser = try Browser(server)
        } else {
            try disk.makeRoom()
            try browser.insert("last")
            titles.append("last")
        }
        let rows = try browser.listen().begin().wait("the rows") { $0.id != nil }.rows.map(\.title)
        // After a kill, the rows that were answered as saved.
        if isKilled { #expect(rows.starts(with: titles.dropLast())) } else { #expect(rows == titles) }
        withExtendedLifetime(disk) {}
    }

    @Test("What a title says is never read as HTML, and the page can load nothing from elsewhere")
    func page() throws {
        let server = try Server(file)
        let browser = try Browser(server)
        let title = #"<img src=x onerror="alert(1)"> & </script>"#
        try browser.insert(title)
        #expect(try browser.listen().begin().wait("the row") { $0.rows.count == 1 }.rows[0].title == title)
        for path in ["/", "/page.css", "/page.js", "/rows.js"] {
            let answer = try Browser.request(server.port, "GET \(path)", browser.fields)
            #expect(answer.status == 200)
            #expect(
                answer.fields["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            #expect(answer.fields["access-control-allow-origin"] == nil)
            for wrong in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:", "https:"] {
                #expect(!answer.body.contains(wrong), "\(path) has \(wrong)")
            }
        }
    }

    @Test(
        "The server ends by itself after an interrupt and at the end of its input, though browsers listen",
        arguments: [true, false])
    func stops(isInterrupted: Bool) throws {
        let server = try Server(file)
        let browser = try Browser(server)
        let listener = try browser.listen().begin()
        try browser.insert("first")
        try listener.wait("the row") { $0.rows.count == 1 }
        if isInterrupted { server.interrupt() } else { try server.endInput() }
        let (code, errors) = server.finish()
        #expect(code == 0, "\(errors)")
        #expect(errors == "")
        try listener.wait("the end") { $0.hasEnded }
        let next = try Server(file)
        #expect(try Browser(next).listen().begin().wait("the row") { $0.id != nil }.rows.map(\.title) == ["first"])
    }

    @Test("A complaint that nobody reads changes nothing about how it ends")
    func unreadErrors() throws {
        let process = Process()
        process.executableURL = ChildProcess.folderOfProducts.appendingPathComponent("todo-server")
        process.arguments = ["--quickly"]
        try startingAlone {
            let errors = Pipe()
            // The handle instead of the pipe, whose other end `Process` would ask for.
            process.standardError = errors.fileHandleForWriting
            try errors.fileHandleForReading.close()
            try withoutBlockedSignals { try process.run() }
        }
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 64)
    }

    @Test("Wrong arguments, a port in use and a file that is no store end it with an error")
    func wrongArguments() throws {
        let server = try Server(file)
        #expect(try Server(arguments: ["--port", "\(server.port)", folder.file("other")]).finish().code == 69)
        #expect(try Server(arguments: ["--port", "70000", file]).finish().code == 64)
        #expect(try Server(arguments: ["--quickly"]).finish().code == 64)
        let text = try folder.write("milk\n", to: "notes.txt")
        let outcome = try Server(arguments: ["--port", "0", text]).finish()
        #expect(outcome.code == 74 && outcome.errors.contains("notes.txt"))
        #expect(try String(contentsOfFile: text, encoding: .utf8) == "milk\n")
    }
}

/// Runs JavaScript, if the system can.
enum Node {
    static let exists = (try? run("console.log(1)")) == "1\n"

    static func run(_ program: String) throws -> String {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["node", "-"]
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread {
            try? input.fileHandleForWriting.write(contentsOf: Data(program.utf8))
            try? input.fileHandleForWriting.close()
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
