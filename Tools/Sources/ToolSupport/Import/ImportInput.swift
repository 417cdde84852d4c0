// The bytes of an input: a file or standard input, decompressed if necessary.
//
// Always holds: an input that begins like a gzip file is decompressed, whatever its name.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        let found: [UInt8]
        do throws(SystemError) {
            let file = isStandardInput ? try OpenFile.standardInput() : try OpenFile(reading: path)
            found = try file.readToEnd()
        } catch {
            throw ToolError(.inputOutput, "\(path) cannot be read: \(error)")
        }
        bytes = found.starts(with: [0x1F, 0x8B]) ? try ImportInput.decompressed(found, name) : found
    }

    /// Decompresses bytes with the system's `gzip`.
    private static func decompressed(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
        do throws(SystemError) {
            // Not a pipe: it is short, and gzip writes output before it has read everything.
            let input = try OpenFile.temporary()
            try input.write(bytes)
            try input.rewind()
            let (child, output) = try gzip(input)
            let result = try output.readToEnd()
            if child.wait() == .exit(0) { return result }
        } catch {
            throw ToolError(.inputOutput, "gzip cannot be run: \(error)")
        }
        throw ToolError(.inputOutput, "\(name) cannot be decompressed: gzip failed")
    }

    /// Starts `gzip`, and returns the end of the pipe into which it writes. Only gzip has the other end.
    private static func gzip(_ input: OpenFile) throws(SystemError) -> (ChildProcess, OpenFile) {
        let (reader, writer) = try OpenFile.pipe()
        let nowhere = try OpenFile(writing: "/dev/null")
        let child = try ChildProcess(
            ["gzip", "-dc"], input: input.descriptor, output: writer.descriptor, errors: nowhere.descriptor)
        return (child, reader)
    }
}
