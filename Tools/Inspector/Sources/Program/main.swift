// The program that `listory inspect` runs: opens a store, serves the page, and waits until it is interrupted.
//
// The options are described by `listory inspect --help`, which passes them on; so this program only reads them.
//
// Always holds: the store is opened for reading only, unless writing was asked for; it is closed before the program ends.

import Foundation
import Listory
import ListoryInspector
import ToolSupport

/// Ends the process with an error.
func end(_ error: any Error) -> Never {
    Diagnostic.write(error, asJSON: Arguments.asksForJSON)
    exit(ExitStatus(error).rawValue)
}

/// The line that tells the link.
func line(_ link: URL) -> String {
    guard Arguments.asksForJSON else { return "\(link.absoluteString)\n" }
    var writer = JSONWriter()
    writer.object { $0.member("link", link.absoluteString) }
    writer.endLine()
    return writer.text
}

/// The arguments.
struct Arguments {
    /// Whether the link and errors are JSON, also an error of the other arguments.
    static var asksForJSON: Bool { CommandLine.arguments.prefix { $0 != "--" }.contains("--json") }

    var allowsWriting = false
    var port: UInt16?
    /// Whether the end of the input ends the program, for programs that start it.
    var endsWithInput = false
    var path = ""

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var paths: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "--allow-write": allowsWriting = true
            case "--until-input-ends": endsWithInput = true
            // See `asksForJSON`.
            case "--json": break
            case "--port":
                let text = rest.popFirst() ?? ""
                guard let number = UInt16(text) else {
                    throw ToolError(.usage, "--port: expected 0 to 65535, found \"\(text.visible)\"")
                }
                port = number
            case "--": while let path = rest.popFirst() { paths.append(path) }
            case _ where argument.hasPrefix("-"):
                throw ToolError(
                    .usage, "expected --allow-write or --port, found \"\(argument.visible)\" (see listory help inspect)"
                )
            default: paths.append(argument)
            }
        }
        guard paths.count == 1 else { throw ToolError(.usage, "expected one store, found \(paths.count)") }
        path = paths[0]
    }
}

Standard.ignoreBrokenPipes()
do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    let store = try StoreFile(path: arguments.path).open(isReadOnly: !arguments.allowsWriting)
    let (ends, ended) = AsyncStream<Void>.makeStream()
    // A handler that does nothing, so that the signals only reach the sources.
    let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { ended.yield() }
        source.resume()
        return source
    }
    if arguments.endsWithInput {
        Thread.detachNewThread {
            while let bytes = try? FileHandle.standardInput.read(upToCount: 4096), !bytes.isEmpty {}
            ended.yield()
        }
    }
    let inspector = Inspector(store, allowsWriting: arguments.allowsWriting, port: arguments.port)
    let link: URL
    do { link = try await inspector.start() } catch {
        throw ToolError(
            .inputOutput, "\(arguments.port.map { "port \($0)" } ?? "a free port") cannot be used: \(error)")
    }
    try Standard.output.write(line(link))
    _ = await ends.first { true }
    await inspector.stop()
    signals.forEach { $0.cancel() }
    try store.close()
} catch {
    end(error)
}
