// The log of a store whose commits have values attached to them.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite
struct AnnotatedLogTests {
    @Test func `Annotations are printed with the events of their commit`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let store = try UntypedStore.create(at: path)
        try store.edit("Plan") { list in
            list.annotate("selection", with: Array(#"{"head":3}"#.utf8))
            try list.insertSection(NewSection(id: "plan", title: "Plan"))
            list.annotate("raw", with: [0, 1])
        }
        try store.close()
        let lines = try ToolProcess.log(path)
        #expect(
            lines[0]["events"].map(JSONValue.text)
                == #"[{"annotated":{"name":"selection","value":{"head":3}}},"#
                + #"{"sectionInserted":{"at":0,"section":{"id":"plan","items":[],"title":"Plan"}}},"#
                + #"{"annotated":{"name":"raw","value":{"$base64":"AAE="}}}]"#)
        let text = try ToolProcess.run("log", path).output
        #expect(text.contains(#"annotated "selection": {"head":3}"#))
    }
}
