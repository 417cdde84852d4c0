// A strict listener: it mirrors a model only by its signals, and detects wrong or missing ones.
//
// Always holds: `objects` are the rows according to the signals so far. Each is retained, so that a row that is removed
// and added again is recognised as the same object.

import CListRows
import TodoWindow

/// Mirrors a GListModel by its signals alone.
@MainActor
final class MirrorList {
    private let list: OpaquePointer
    private var objects: [OpaquePointer] = []
    /// The values of each row at its last signal, or when it was added.
    private var said: [OpaquePointer: ShownRow] = [:]
    private var connections: [OpaquePointer: gulong] = [:]
    private var connection: gulong = 0
    /// The first problem with a signal.
    private(set) var problem: String?
    /// How many splices were received.
    private(set) var spliceCount = 0

    init(_ list: OpaquePointer) {
        self.list = list
        g_object_ref(list.raw)
        objects = items(0..<count)
        connection = onSignal(list.raw, "items-changed") { [unowned self] arguments in
            heard(position: arguments.number(1), removed: arguments.number(2), added: arguments.number(3))
        }
    }

    isolated deinit {
        disconnect(list.raw, connection)
        for (object, connection) in connections {
            disconnect(object.raw, connection)
            g_object_unref(object.raw)
        }
        g_object_unref(list.raw)
    }

    private var count: Int { Int(g_list_model_get_n_items(list)) }

    /// The rows of a view that knows only the signals.
    var rows: [ShownRow] { objects.map { said[$0]! } }

    /// Checks that no signal was wrong, and that the rows of the model are those according to the signals.
    func check(_ when: String) throws {
        compare("without a signal")
        for object in objects where said[object] != Rows.shown(object) {
            note("a row changed to \(Rows.shown(object)) and did not notify")
        }
        if let problem { throw Failure("\(when): \(problem)") }
    }

    private func heard(position: Int, removed: Int, added: Int) {
        spliceCount += 1
        let what = "items-changed(\(position), \(removed), \(added))"
        guard position + removed <= objects.count else {
            return note("\(what) removes more than the \(objects.count) rows that there were")
        }
        guard objects.count - removed + added == count else {
            return note("after \(what) there are \(count) rows, and there were \(objects.count) before")
        }
        let arrived = items(position..<position + added)
        adopt(arrived)
        objects.replaceSubrange(position..<position + removed, with: arrived)
        compare("after \(what)")
    }

    /// Compares all rows, one by one.
    private func compare(_ when: String) {
        guard count == objects.count else { return note("\(when) there are \(count) rows, not \(objects.count)") }
        for (position, row) in items(0..<count).enumerated() where row != objects[position] {
            return note("\(when) row \(position) is \(Rows.shown(row)), not \(Rows.shown(objects[position]))")
        }
    }

    private func note(_ problem: String) { if self.problem == nil { self.problem = problem } }

    private func items(_ range: Range<Int>) -> [OpaquePointer] {
        range.map { position in
            let row = OpaquePointer(g_list_model_get_item(list, guint(position))!)
            // Known rows are retained already; new ones must be retained before they are freed.
            if connections[row] == nil { adopt([row]) }
            g_object_unref(row.raw)
            return row
        }
    }

    /// Retains rows and connects to their signals.
    private func adopt(_ rows: [OpaquePointer]) {
        for row in rows where connections[row] == nil {
            g_object_ref(row.raw)
            said[row] = Rows.shown(row)
            connections[row] = onSignal(row.raw, "notify") { [unowned self] _ in said[row] = Rows.shown(row) }
        }
    }
}
