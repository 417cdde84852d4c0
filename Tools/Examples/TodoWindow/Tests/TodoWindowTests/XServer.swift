// An X server without a screen, and programs on it.
//
// Always holds: the server ends with the object, and with the process of the tests, however that ends; it chooses a free number itself;
// no test waits forever for a program.

import Foundation

/// A program that could not be started.
struct Missing: Error, CustomStringConvertible {
    let description: String
}

/// A display for tests.
final class XServer: Sendable {
    /// The display for programs.
    let display: String
    /// The parent of the server is a shell that ends it when nobody holds the other end of this pipe any more. `deinit` would not do: what
    /// is kept in a static property is never released.
    nonisolated(unsafe) private let input = Pipe()

    init() throws {
        let process = Process()
        let output = Pipe()
        let server = "Xvfb -displayfd 1 -screen 0 1000x800x24 -nolisten tcp"
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(server) </dev/null & exec >/dev/null; read -r end; kill $!"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start(blocking: [])
        // The server writes its number when it is ready; if it ends before, it writes nothing.
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Missing(description: "Xvfb did not start; install xvfb and xdotool, as Tools/prepare does")
        }
        display = ":\(number)"
    }
}

/// The result of a program.
struct Outcome {
    let code: Int32
    let output: String
}

/// A program of this package, run with the environment of a test.
final class Program: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.
    private let process = Process()
    private let output = Pipe()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: its name in the folder of products, or the name of a tool in the PATH.
    ///   - display: its display; nil for none.
    ///   - blocked: the signals that are blocked when it starts.
    init(_ name: String, _ arguments: [String], on display: String?, blocking blocked: [Int32] = []) throws {
        let product = Bundle.main.bundleURL.appendingPathComponent(name)
        let isProduct = FileManager.default.isExecutableFile(atPath: product.path)
        process.executableURL = isProduct ? product : URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (isProduct ? [] : [name]) + arguments
        process.environment = Program.environment(display)
        process.standardOutput = output
        process.standardError = output
        try process.start(blocking: blocked)
    }

    /// Asks the program to end.
    func interrupt() { kill(process.processIdentifier, SIGTERM) }

    /// Waits for its end, and kills it after the limit.
    ///
    /// - Parameter seconds: the limit; no program that works needs it.
    func finish(within seconds: Double = 60) -> Outcome {
        let force = DispatchWorkItem { [self] in kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: force)
        var text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        force.cancel()
        if process.terminationReason == .uncaughtSignal { text += "\nended by signal \(process.terminationStatus)" }
        return Outcome(code: process.terminationStatus, output: text)
    }

    /// The environment of a program: critical messages of GTK end it, and settings outside of the test have no effect.
    private static func environment(_ display: String?) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["WAYLAND_DISPLAY", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "GTK_THEME"] {
            environment[name] = nil
        }
        environment["DISPLAY"] = display
        return environment.merging([
            "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "G_DEBUG": "fatal-criticals", "GTK_A11Y": "none",
            "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "interactive=no,color=no",
        ]) { $1 }
    }
}

extension Process {
    /// Runs the program with exactly these signals blocked.
    ///
    /// A program inherits the blocked signals of the thread that starts it. Tests run on threads of a pool, which block
    /// all signals, so their programs would never receive the signal to end.
    func start(blocking blocked: [Int32]) throws {
        var (mask, before) = (sigset_t(), sigset_t())
        sigemptyset(&mask)
        for signal in blocked { sigaddset(&mask, signal) }
        pthread_sigmask(SIG_SETMASK, &mask, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
