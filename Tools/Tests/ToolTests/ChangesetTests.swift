// Changesets as JSON.

import ListModel
import Testing
import ToolSupport

@Suite struct ChangesetTests {
    private func json(_ changeset: Changeset) -> String {
        var writer = JSONWriter()
        writer.write(changeset)
        return writer.text
    }

    @Test func `A changeset without changes is an empty object`() {
        #expect(json(Changeset()) == "{}")
    }

    @Test func `Every kind of change has its list`() {
        var changeset = Changeset()
        changeset.sections.deleted = [0]
        changeset.sections.inserted = [1, 2]
        changeset.sections.moved = [Changeset.Move(from: 3, to: 4)]
        changeset.sections.updated = [5]
        changeset.items.deleted = [ListIndexPath(section: 0, item: 1)]
        changeset.items.inserted = [ListIndexPath(section: 0, item: 2), ListIndexPath(section: 1, item: 0)]
        changeset.items.moved = [
            Changeset.Move(from: ListIndexPath(section: 0, item: 3), to: ListIndexPath(section: 1, item: 4))
        ]
        changeset.items.updated = [ListIndexPath(section: 0, item: 5)]
        #expect(
            json(changeset) == #"{"sections":{"deleted":[0],"inserted":[1,2],"moved":[[3,4]],"updated":[5]},"#
                + #""items":{"deleted":[[0,1]],"inserted":[[0,2],[1,0]],"moved":[[[0,3],[1,4]]],"updated":[[0,5]]}}"#)
    }

    @Test func `Lists without anything in them are left out`() {
        var changeset = Changeset()
        changeset.items.deleted = [ListIndexPath(section: 0, item: 1)]
        #expect(json(changeset) == #"{"items":{"deleted":[[0,1]]}}"#)
    }
}
