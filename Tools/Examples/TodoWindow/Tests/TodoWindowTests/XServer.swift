// An X server without a screen, and programs on it.
//
// Always holds: the server ends with the object; its number is free, because it chooses it itself; no test waits for
// ever for a program.

import Foundation

/// A program that could not be started.
struct Missing: Error, CustomStringConvertible {
    let description: String
}

/// A display for tests.
final class XServer: Sendable {
    /// What programs find it by.
    let display: String
    private let process: Int32

    init() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["Xvfb", "-displayfd", "1", "-screen", "0", "1000x800x24", "-nolisten", "tcp"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start(blocking: [])
        self.process = process.processIdentifier
        // The number is written when the server is ready; nothing is, if it ends before.
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Missing(description: "Xvfb did not start; install xvfb and xdotool, as Tools/prepare does")
        }
        display = ":\(number)"
    }

    deinit { kill(process, SIGTERM) }
}

/// What a program did.
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
    ///   - name: its name in the folder of products, or of a tool that is found by the path.
    ///   - display: where it shows its windows; nil for nowhere.
    ///   - blocked: the signals that it does not hear unless it wants to.
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

    /// Waits for its end, and ends it by force if that does not come.
    ///
    /// - Parameter seconds: for how long a program may run that does not hang.
    func finish(within seconds: Double = 60) -> Outcome {
        let force = DispatchWorkItem { [self] in kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: force)
        var text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        force.cancel()
        if process.terminationReason == .uncaughtSignal { text += "\nended by signal \(process.terminationStatus)" }
        return Outcome(code: process.terminationStatus, output: text)
    }

    /// Critical messages of GTK end a program; nothing outside of the test has an influence on it.
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
    /// A program inherits what the thread blocks that starts it. Tests run on threads of a pool, which block all that they
    /// can: a program of theirs would never hear that it is to end.
    func start(blocking blocked: [Int32]) throws {
        var (mask, before) = (sigset_t(), sigset_t())
        sigemptyset(&mask)
        for signal in blocked { sigaddset(&mask, signal) }
        pthread_sigmask(SIG_SETMASK, &mask, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
