// One list on several devices, for the tests of apps: a NATS server on loopback, and beside each store a `listory sync --follow`.
//
// Always holds: they end with the object, and with the process of the tests, whose end closes a pipe.

import Foundation

/// Keeps stores together, as users do.
public final class SharedList: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.

    /// The program of the package `Tools/Sync`, if that was built into the same folder.
    private static let program = ChildProcess.folderOfProducts.appendingPathComponent("listory-sync").path
    private static let server = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .map { $0 + "/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether the program and the server are there. If `LISTORY_REQUIRE_SYNC` is set, a test fails without them, and is not skipped.
    public static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["LISTORY_REQUIRE_SYNC"] != nil
            || server != nil && FileManager.default.isExecutableFile(atPath: program)
    }

    private let shell = Process()
    private let pipe: Pipe

    /// Makes the stores replicas of one list, and begins to keep them together.
    ///
    /// - Parameters:
    ///   - paths: of the stores, which nobody has open; they are made if they do not exist.
    ///   - folder: for the server's files.
    public init(_ paths: [String], in folder: String) throws {
        // The server takes any free port, and writes it into a file.
        let script = """
            "$SERVER" -a 127.0.0.1 -p -1 -js -sd "$FOLDER" --ports_file_dir "$FOLDER" </dev/null >"$FOLDER/log" 2>&1 &
            programs=$!
            finish() { kill -KILL $programs; wait; exit "$1"; }
            trap '' INT TERM HUP
            url() { sed -n 's/.*"\\(nats:[^"]*\\)".*/\\1/p' "$FOLDER"/*.ports 2>/dev/null | head -n 1; }
            for attempt in $(seq 200); do [ -z "$(url)" ] || break; sleep 0.1; done
            export LISTORY_SYNC_URL="$(url)"
            for path in "$@"; do
                "$PROGRAM" "$path" --list list </dev/null >>"$FOLDER/log" 2>&1 || { cat "$FOLDER/log"; finish 1; }
            done
            for path in "$@"; do
                "$PROGRAM" "$path" --list list --follow </dev/null >>"$FOLDER/log" 2>&1 &
                programs="$programs $!"
            done
            echo following
            cat >/dev/null
            finish 0
            """
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", script, "shared-list"] + paths
        shell.environment = ProcessInfo.processInfo.environment.merging([
            "SERVER": SharedList.server ?? "nats-server", "PROGRAM": SharedList.program, "FOLDER": folder,
        ]) { $1 }
        let output: Pipe
        (pipe, output) = try startingAlone { [shell] in
            let (input, output) = (Pipe(), Pipe())
            (shell.standardInput, shell.standardOutput) = (input, output)
            try withoutBlockedSignals { try shell.run() }
            return (input, output)
        }
        var text = ""
        while text != "following\n" {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw NotShared(output: text) }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// What the programs wrote before they ended.
    private struct NotShared: Error {
        let output: String
    }

    deinit { end() }

    /// Ends the programs and the server.
    public func end() {
        try? pipe.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}
