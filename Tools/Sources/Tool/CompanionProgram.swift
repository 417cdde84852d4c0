// Programs beside the tool that do what it cannot: serve a page, talk to servers. Always holds: the tool becomes such a program, so that a signal
// reaches it.

import ToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

enum CompanionProgram {
    /// Becomes a program that stands beside this one or in a folder of PATH.
    ///
    /// - Parameter package: the package that builds it.
    /// - Throws: ``ToolError`` if there is none.
    static func become(_ name: String, _ arguments: [String], package: String) throws -> Never {
        let strings = ([name] + arguments).map { strdup($0) } + [nil]
        defer { strings.forEach { free($0) } }
        let beside = ThisProgram.path.map { path in
            URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(
                name
            ).path
        }
        // These return only if there is no such program.
        if let beside { execv(beside, strings) }
        execvp(name, strings)
        throw ToolError(
            .inputOutput,
            "the program \(name) cannot be started: \(String(cString: strerror(errno))); it belongs beside listory or in a "
                + "folder of PATH, and swift build --package-path \(package) builds it")
    }
}
