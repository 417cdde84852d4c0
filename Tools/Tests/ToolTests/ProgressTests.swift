// Tests in a pseudo-terminal that nothing of the progress bar is left beside a result.

import Foundation
import ListModel
import Listory
import TerminalKit
import TerminalTestSupport
import Testing

@Suite struct ProgressTests {
    @Test func `After a quick check that takes its time, only its result is there`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let store = try UntypedStore.create(at: path)
        // So many rows that the bar appears.
        let rows = (0..<20_000).map { NewRow(id: .integer($0), content: Array(#"{"title":"Milk"}"#.utf8)) }
        try store.edit("Rows") { try $0.insertSection(NewSection(id: "rows", items: rows)) }
        try store.close()
        let tool = try ToolProcess.executable("listory").path
        let terminal = try PseudoTerminal(
            [tool, "verify", path, "--quick"], size: Size(columns: 100, rows: 5), waitingFor: nil)
        #expect(try terminal.finish() == 0)
        #expect(terminal.screen.lines[0].hasPrefix("opens: version 1, 20000 rows"), "\(terminal.screen.text)")
    }
}
