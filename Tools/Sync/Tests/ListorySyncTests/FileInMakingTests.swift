// Tests files that appear at their place when they are complete.

import Foundation
import TestSupport
import Testing

@testable import ListorySync

@Suite("Files in the making")
struct FileInMakingTests {
    private static func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static func make(_ file: FileInMaking, _ text: String) throws {
        for path in [file.path, file.path + "-lock"] { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    }

    @Test("Of two that are made at the same time for one place, the first that is complete stays there")
    func first() throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/list"
        let (one, other) = (FileInMaking(for: place), FileInMaking(for: place))
        try Self.make(one, "one")
        try Self.make(other, "other")
        #expect(try other.appear())
        #expect(try !one.appear())
        #expect(try String(contentsOfFile: place, encoding: .utf8) == "other")
        #expect(try Self.names(in: folder) == ["list"])
    }

    @Test("What a process has left that was killed is removed by the next one, and nothing of one that lives")
    func forsaken() throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/list"
        let living = FileInMaking(for: place)
        try Self.make(living, "living")
        // No process has such a number.
        for name in ["list-making-99999999-1", "list-making-99999999-1-lock", "list-making-x", "list-making-"] {
            try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let next = FileInMaking(for: place)
        try Self.make(next, "next")
        next.remove()
        let kept = [living.path, living.path + "-lock"].map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(try Self.names(in: folder) == (["list-making-", "list-making-x"] + kept).sorted())
    }
}
