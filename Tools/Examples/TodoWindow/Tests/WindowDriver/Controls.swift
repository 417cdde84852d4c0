// Models with wrong signals: the listener must detect each of them, and accept the right one.

import CListRows
import TodoWindow

@MainActor
enum Controls {
    static func run() throws {
        try expect(nil) { model in
            model.replace(1..<2, with: ["x", "y"])
            model.tell(1, 1, 2)
            model.retitle(0, "z")
        }
        try expect("there are 4 rows, and there were 3 before") { model in
            model.replace(1..<2, with: ["x", "y"])
            model.tell(1, 1, 1)
        }
        try expect("after items-changed(0, 1, 2) row 2 is") { model in
            model.replace(1..<2, with: ["x", "y"])
            model.tell(0, 1, 2)
        }
        try expect("removes more than the 3 rows") { model in
            model.replace(2..<3, with: [])
            model.tell(2, 2, 1)
        }
        try expect("without a signal there are 2 rows, not 3") { model in
            model.replace(0..<1, with: [])
        }
        try expect("without a signal row 0 is") { model in
            model.replace(0..<1, with: ["x"])
        }
        // Changes all rows at once instead of by two splices: between them, the rows after the first are no longer the
        // old ones.
        try expect("after items-changed(0, 1, 0) there are") { model in
            model.replace(0..<1, with: [])
            model.replace(1..<2, with: [])
            model.tell(0, 1, 0)
            model.tell(1, 1, 0)
        }
        try expect("did not notify") { model in
            model.retitle(0, "z", silently: true)
        }
    }

    /// Changes a model, and compares the problem that the listener found.
    private static func expect(_ problem: String?, _ body: (HonestModel) -> Void) throws {
        let model = HonestModel(["a", "b", "c"])
        let mirror = MirrorList(model.list)
        body(model)
        var found: String?
        do { try mirror.check("control") } catch { found = "\(error)" }
        guard let problem else {
            if let found { throw Failure("an honest model was found out: \(found)") }
            return
        }
        guard let found, found.contains(problem) else {
            throw Failure("expected \"\(problem)\", the listener said \(found ?? "nothing")")
        }
    }
}

/// Rows in an array; the code that changes it emits the signals.
@MainActor
private final class HonestModel {
    private(set) var list: OpaquePointer!
    private var rows: [OpaquePointer] = []

    init(_ titles: [String]) {
        rows = titles.map(Self.row)
        list = listory_row_list_new(
            Unmanaged.passRetained(self).toOpaque(), { HonestModel.of($0!) { guint($0.rows.count) } },
            { context, position in
                HonestModel.of(context!) { g_object_ref($0.rows[Int(position)].raw) }
            }, { _ in })
    }

    /// Calls `body` with the model that a list was made for.
    private nonisolated static func of<Answer>(
        _ context: UnsafeMutableRawPointer, _ body: @MainActor (HonestModel) -> Answer
    ) -> Answer {
        // SAFETY: the driver has one thread; the list retains its model forever.
        nonisolated(unsafe) var answer: Answer?
        nonisolated(unsafe) let context = context
        MainActor.assumeIsolated {
            answer = body(Unmanaged<HonestModel>.fromOpaque(context).takeUnretainedValue())
        }
        return answer!
    }

    private static func row(_ title: String) -> OpaquePointer {
        let row = listory_row_new(nil) { _ in }!
        listory_row_set(row, title, 0)
        return row
    }

    func replace(_ range: Range<Int>, with titles: [String]) {
        rows.replaceSubrange(range, with: titles.map(Self.row))
    }

    func tell(_ position: guint, _ removed: guint, _ added: guint) {
        g_list_model_items_changed(list, position, removed, added)
    }

    func retitle(_ position: Int, _ title: String, silently: Bool = false) {
        if silently { g_object_freeze_notify(rows[position].gobject) }
        listory_row_set(rows[position], title, 0)
    }
}

extension OpaquePointer {
    fileprivate var gobject: UnsafeMutablePointer<GObject> { raw.assumingMemoryBound(to: GObject.self) }
}
