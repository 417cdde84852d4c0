// Tests streams that another program has made non-blocking: reads and writes of them fail instead of waiting.

import Foundation
import Synchronization
import TerminalKit
import TerminalTestSupport
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct NonBlockingTests {
    /// A pipe neither end of which waits.
    private func pipe() throws -> (reader: OpenFile, writer: OpenFile) {
        let pipe = try startingAlone { try OpenFile.pipe() }
        for end in [pipe.reader, pipe.writer] {
            try #require(fcntl(end.descriptor, F_SETFL, O_NONBLOCK) == 0)
        }
        return pipe
    }

    @Test func `Everything is written to a pipe that is read slowly`() throws {
        let (reader, writer) = try pipe()
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let count = bytes.count
        let found = Mutex<[UInt8]>([])
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            var rest = count
            while rest > 0, let more = try? reader.read(upTo: 10_000), !more.isEmpty {
                rest -= more.count
                found.withLock { $0 += more }
                Thread.sleep(forTimeInterval: 0.001)
            }
            isDone.signal()
        }.start()
        try writer.write(bytes)
        isDone.wait()
        let isSame = found.withLock { $0 == bytes }
        #expect(isSame)
    }

    @Test func `Lines are read from a pipe that is written slowly`() throws {
        let (reader, writer) = try pipe()
        Thread {
            for part in ["one\ntw", "o\n", "three\n"] {
                Thread.sleep(forTimeInterval: 0.02)
                try? writer.write(Array(part.utf8))
            }
        }.start()
        var lines = LineReader(descriptor: reader.descriptor)
        var found: [String] = []
        while found.count < 3 {
            if let line = lines.next() {
                found.append(String(decoding: line, as: UTF8.self))
            } else if try !lines.fill() {
                break
            }
        }
        #expect(found == ["one", "two", "three"])
        withExtendedLifetime(reader) {}
    }

    @Test func `The tool waits for its requests, and for the reader of what it prints`() throws {
        let (folder, store) = try ToolProcess.makeStore(#"{"insertSection":{"id":"today"}}"# + "\n")
        // Longer than a pipe holds.
        let text = String(repeating: "long ", count: 40_000)
        let session = try ToolProcess(["exec", store], isBlocking: false)
        #expect(try session.ask(#"{"insert":{"id":1,"content":"\#(text)","section":"today"}}"#)["version"] == 2)
        #expect(try session.ask(#"{"toggle":{"id":1}}"#)["version"] == 3)
        #expect(try session.finish().status == .success)
        let slow = try ToolProcess(["export", store], isBlocking: false)
        Thread.sleep(forTimeInterval: 0.5)
        let result = try slow.finish()
        #expect(result.status == .success, "\(result.errors)")
        #expect(try result.output == ToolProcess.run("export", store).output)
        withExtendedLifetime(folder) {}
    }

    @Test func `A window is drawn completely in a terminal that is slow`() throws {
        // More than a terminal holds until it is shown.
        let end = String(repeating: "x", count: 290)
        let items = (1...100).map { #"{"id":\#($0),"content":"\#($0) \#(end)"}"# }.joined(separator: ",")
        let (folder, store) = try ToolProcess.makeStore(
            #"{"insertSection":{"id":"today","items":[\#(items)]}}"# + "\n")
        let terminal = try PseudoTerminal(
            [ToolProcess.executable("listory").path, "edit", store], size: Size(columns: 300, rows: 110),
            waitingFor: nil, isBlocking: false)
        Thread.sleep(forTimeInterval: 0.5)
        try terminal.wait("the last row") { $0.text.contains("q quit") && $0.lines[100] == "  [ ] 100 \(end)" }
        terminal.send("q")
        #expect(try terminal.finish() == 0)
        withExtendedLifetime(folder) {}
    }
}
