// The part of the demo about the history as a tree: an edit leaves a branch, and two people undo their own edits.
//
// Always holds: at the end, the branch that was left is checked out again, so the rows are those from before.

import ListModel
import Listory

extension Demo {
    /// Edits after an undo, and checks out the undone revision.
    func branchOff(_ store: UntypedStore) throws {
        heading("4  An edit after an undo leaves a branch behind, and every branch can be gone back to")
        let before = try store.snapshot
        try store.undo(2)
        try change(store, "Uncheck the first row, after two undos") { list in
            try list.toggle(.at(ListIndexPath(section: 0, item: 0)))
        }
        print("")
        for line in try BranchReport(store).text(style).split(separator: "\n") { print("  \(line)") }
        let left = try store.branches()[1].tip
        try revert(store, "go to version \(left)") { try store.go(to: left) }
        let after = try store.snapshot
        let verdict = before.stateHash == after.stateHash ? style.green("the same") : style.red("not the same")
        print("")
        print("  the rows of the branch that was left: \(verdict)")
    }

    /// Lets two people edit one list, in which each undoes their own steps.
    func undoOwnSteps() throws {
        heading("5  Ann and Ben edit one list, and each undoes their own")
        var options = StoreOptions()
        options.undoScope = .origin
        let store = try UntypedStore.open(at: path, options: options)
        let section = try store.snapshot.sections[3].id
        let rows = try store.snapshot.sections[3].items.prefix(2).map(\.id)
        try change(store, "Ann adds a task", origin: "Ann") { list in
            let content = Array(#"{"title":"Bake a cake"}"#.utf8)
            try list.insert(NewRow(id: "cake", content: content), at: .end(ofSection: section))
        }
        try change(store, "Ben checks two others, and moves one over it", origin: "Ben") { list in
            try list.setChecked(true, for: .items(rows))
            try list.move(.item("thanks"), to: .after("cake"))
        }
        try revert(store, "Ann: undo") { try store.undo(origin: "Ann") }
        try store.redo(origin: "Ann")
        try change(store, "Ann has it back; Ben checks it", origin: "Ben") { try $0.toggle(.item("cake")) }
        print("")
        do { try store.undo(origin: "Ann") } catch ListError.conflicts(let conflicts) {
            let reasons = conflicts.map(\.description).joined(separator: ", ")
            print("  \(style.bold("Ann: undo")) is \(style.yellow("refused")): \(reasons)")
        }
        try store.close()
    }
}
