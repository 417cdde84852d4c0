// The bytes of an input: a file or standard input, decompressed if need be.
//
// Always holds: what begins like a gzip file is decompressed, whatever its name.

import Foundation

/// What is to be imported.
public struct ImportInput: Sendable {
    /// What commits are named after.
    public let name: String
    /// The bytes, decompressed.
    public let bytes: [UInt8]

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

    /// What the system's `gzip` makes of compressed bytes.
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
            // On a thread of its own: both pipes are short, and gzip answers before it has read everything.
            let writer = Thread {
                // If gzip has gone, its exit code will say so.
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
