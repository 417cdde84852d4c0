// The program `listory-inspect` in a process of its own, and a browser that shows its page.
//
// Always holds: the program and the page end with the test; a test fails if the page had any problem: an exception, a message in
// the console, a refused request, a breach of its policy, or a request to another server.

import Foundation
import Testing
import ToolSupport

/// The inspector of one store.
final class InspectorProcess: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.
    private let process = Process()
    private let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    /// The address that works once, and sets the cookie.
    private(set) var launchLink = ""

    /// Starts the program, and waits until it listens.
    init(_ file: String, arguments: [String] = []) throws {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        let folder = bundle.deletingLastPathComponent()
        #else
        let folder = Bundle.main.bundleURL
        #endif
        process.executableURL = folder.appendingPathComponent("listory-inspect")
        process.arguments = [file, "--port", "0", "--until-input-ends"] + arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        // Tests run on threads that block all signals, which the program would inherit.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        while !launchLink.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            launchLink.append(Character(UnicodeScalar(byte)))
        }
        launchLink = launchLink.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
        guard launchLink.hasPrefix("http://") else {
            let reason = try errors.fileHandleForReading.readToEnd() ?? Data()
            throw Trouble(description: "the inspector did not start: \(String(decoding: reason, as: UTF8.self))")
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

/// Shows a store in the browser of the suite while `body` runs, and checks that the page had no problem.
///
/// - Parameters:
///   - arguments: of the program.
///   - script: runs before those of the page.
///   - motion: whether the user likes motion. Most tests do without: they would wait until nothing moves.
func withPage(
    of store: String, arguments: [String] = [], script: String = "", motion: Bool = false,
    location: SourceLocation = #_sourceLocation, _ body: (Page) async throws -> Void
) async throws {
    let program = try InspectorProcess(store, arguments: arguments)
    let folder = URL(fileURLWithPath: store).deletingLastPathComponent().appendingPathComponent("downloads")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let suite = try #require(SuiteBrowser.current)
    do {
        let page = try await Page(suite.running(), downloads: folder)
        try await page.prefer(dark: false, motion: motion)
        try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
        try await page.open(program.launchLink)
        try await page.waitUntilShown()
        try await body(page)
        #expect(page.problems.isEmpty, sourceLocation: location)
        try await page.close()
    } catch {
        // The browser may be the reason; the next test must not suffer from it.
        suite.stop()
        throw error
    }
    withExtendedLifetime(program) {}
}
