// The bytes of an input: a file or standard input, decompressed if necessary.
//
// Always holds: an input that begins like a gzip file is decompressed, whatever its name.

import Foundation

/// An input to import.
public struct ImportInput: Sendable {
    /// The name that commits are given.
    public let name: String
    /// The bytes, decompressed.
    public let bytes: [UInt8]

    /// An input that was read.
    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads an input.
    ///
    /// - Parameter path: a file, or `-` for standard input.
    /// - Throws: ``ToolError`` if it cannot be read or decompressed.
    public init(path: String) throws {
        let isStandardInput = path == "-"
        name = isStandardInput ? "standard input" : URL(fileURLWithPath: path).lastPathComponent
        let data: Data
        do {
            data =
                isStandardInput
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ToolError(.inputOutput, "\(path) cannot be read: \((error as NSError).localizedDescription)")
        }
        bytes = Array(data.starts(with: [0x1F, 0x8B]) ? try ImportInput.decompressed(data, name) : data)
    }

    /// Decompresses bytes with the system's `gzip`.
    private static func decompressed(_ data: Data, _ name: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            // On a separate thread, because both pipes are short, and gzip writes output before it has read everything.
            let writer = Thread {
                // If gzip has ended, its exit code shows it.
                try? input.fileHandleForWriting.write(contentsOf: data)
                try? input.fileHandleForWriting.close()
            }
            writer.start()
            let result = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            if process.terminationStatus == 0 { return result }
        } catch {
            throw ToolError(.inputOutput, "gzip cannot be run: \((error as NSError).localizedDescription)")
        }
        throw ToolError(.inputOutput, "\(name) cannot be decompressed: gzip failed")
    }
}
