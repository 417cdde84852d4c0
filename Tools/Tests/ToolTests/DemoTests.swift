// Tests the guided demo, as a new user sees it.

import Testing
import ToolSupport

@Suite("The demo")
struct DemoTests {
    @Test("It edits, undoes, branches, merges, travels in time, survives three kills, and suggests what to try next")
    func demo() throws {
        let result = try ToolProcess.run("demo")
        #expect(result.status == .success)
        #expect(result.errors == "")
        let text = result.output
        #expect(text.contains("three undos and three redos: the same"))
        #expect(text.contains("the rows of the branch that was left: the same"))
        #expect(text.contains("* version ") && text.contains("steps, from version "))
        #expect(text.contains("Ann: undo is refused: row \"cake\" was changed since"))
        #expect(text.components(separatedBy: "none lost").count == 4)
        #expect(!text.contains("\u{1B}["), "colours are for terminals")
        #expect(text.contains("verified"))
        let next = text.components(separatedBy: "Try next\n").last?.split(separator: "\n") ?? []
        #expect(next.count == 3)
        #expect(next.allSatisfy { $0.hasPrefix("  Tools/run ") })
    }
}
