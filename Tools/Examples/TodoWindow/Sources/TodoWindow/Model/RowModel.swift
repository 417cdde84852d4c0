// A GListModel over snapshots: GTK asks it for rows, and is told by splices how they change.
//
// A row is an object that lives as long as GTK holds it. Asked for a row again, the model gives the same object, so that
// a row keeps its identity wherever it goes; and a row that changed in itself says so with a signal of its own, so that
// the list view neither removes nor adds it.
//
// Always holds:
// - `items-changed` is emitted after the model changed, and never while the model is asked for something;
// - when it is emitted, the rows before the end of the splice are the new ones, and those after it still the old ones;
// - two objects that live never stand for the same row.

import CListRows
import Foundation
import ListModel
import Listory

/// The rows of a list for a GTK list view.
///
/// ```swift
/// let model = RowModel(store.snapshot.core, store.core.source)
/// gtk_single_selection_set_model(selection, model.list)
/// model.show(store.snapshot.core)        // emits items-changed for what differs, and notify for what changed in itself
/// ```
@MainActor
public final class RowModel {
    /// The model as GTK knows it.
    public let list: OpaquePointer
    /// The rows that are shown when all splices were played.
    public private(set) var snapshot: Snapshot
    /// What the model answers with: between two splices, rows of both versions.
    private var rows: SplicedRows
    private let source: any CommitSource
    private let decode: @Sendable (UnsafeRawBufferPointer) throws -> Todo
    /// The rows that GTK holds.
    private var living: [Identifier: OpaquePointer] = [:]
    /// How many calls of the model are being answered.
    private var readers = 0

    /// A model that shows a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the rows. Sections are shown one after another, without headers.
    ///   - source: where their content is read.
    public init(_ snapshot: Snapshot, _ source: any CommitSource) {
        self.snapshot = snapshot
        self.source = source
        decode = ContentCoder<Todo>.json.decode
        rows = Self.settled(snapshot)
        let context = Context()
        list = listory_row_list_new(
            Unmanaged.passRetained(context).toOpaque(),
            { context in RowModel.asking(context!) { guint($0.rows.count) } },
            { context, position in RowModel.asking(context!) { $0.row(at: Int(position)).raw } },
            // SAFETY: the retain of above ends with the list.
            { Unmanaged<Context>.fromOpaque($0!).release() })
        context.model = self
    }

    isolated deinit {
        listory_row_list_detach(list, guint(rows.count))
        g_object_unref(list.raw)
    }

    /// How many rows there are.
    public var count: Int { rows.count }

    /// The id of the row at an offset, or nil if there is none.
    public func id(at offset: Int) -> UUID? {
        guard rows.indices.contains(offset), case .item(let item) = rows[offset] else { return nil }
        return UUID(item.id)
    }

    /// The offset of a row, or nil if it is not shown.
    ///
    /// - Complexity: O(n).
    public func offset(of id: UUID) -> Int? {
        snapshot.indexPath(of: .uuid(id)).flatMap { snapshot.rowOffset(of: $0, in: .rows) }
    }

    /// Leads GTK from the rows that are shown to others.
    ///
    /// - Returns: what was played.
    /// - Complexity: O(k log n) for k rows that differ.
    @discardableResult
    public func show(_ new: Snapshot) -> RowSplices {
        let splices = Transition(from: snapshot, to: new).splices(layout: .rows)
        snapshot = new
        rows = SplicedRows(splices)
        while let splice = rows.advance() {
            // A row that moves may have changed as well; it is the same object when the list view asks for it.
            for offset in splice.position..<splice.position + splice.added { refresh(rows[offset]) }
            announce(splice)
        }
        for offset in splices.updated { refresh(rows[offset]) }
        // The snapshot before is needed no longer.
        rows = Self.settled(new)
        return splices
    }

    /// Tells GTK of a splice.
    private func announce(_ splice: Splice) {
        precondition(readers == 0, "items-changed is not emitted while the model is read")
        g_list_model_items_changed(list, guint(splice.position), guint(splice.removed), guint(splice.added))
    }

    /// Rows with nothing left to play.
    private static func settled(_ snapshot: Snapshot) -> SplicedRows {
        SplicedRows(Transition(from: snapshot, to: snapshot).splices(layout: .rows))
    }
}

// MARK: - Row objects

extension RowModel {
    /// The id of the row that an object stands for, or nil if it is no to-do's.
    public static func id(of row: OpaquePointer) -> UUID? { UUID(RowContext.of(row).id) }

    /// Whether a row object lives for a row: somebody holds it.
    public func isHeld(_ id: UUID) -> Bool { living[.uuid(id)] != nil }

    /// The object of the row at an offset, with a reference for the caller.
    private func row(at offset: Int) -> OpaquePointer {
        guard case .item(let item) = rows[offset] else { preconditionFailure("the layout has no headers") }
        if let row = living[item.id] { return OpaquePointer(g_object_ref(row.raw)) }
        let context = RowContext(item.id, self)
        let row = listory_row_new(Unmanaged.passRetained(context).toOpaque()) { context in
            onMainThread(context!) {
                // SAFETY: the retain of above is released once, when GLib finalizes the row.
                let context = Unmanaged<RowContext>.fromOpaque($0).takeRetainedValue()
                context.model?.living[context.id] = nil
            }
        }!
        listory_row_set(row, title(of: item), item.isChecked.gboolean)
        living[item.id] = row
        return row
    }

    /// Has a row that somebody holds say what it shows now.
    private func refresh(_ row: SequenceRow) {
        guard case .item(let item) = row, let object = living[item.id] else { return }
        // Its observers may let go of it.
        g_object_ref(object.raw)
        listory_row_set(object, title(of: item), item.isChecked.gboolean)
        g_object_unref(object.raw)
    }

    /// The title of a row; if it cannot be read, why not.
    private func title(of item: ListItem) -> String {
        do { return try source.withContent(of: item.content, decode).title } catch { return "Unreadable: \(error)" }
    }

    /// Answers a question of GTK's.
    private static func asking<Answer>(_ context: UnsafeMutableRawPointer, _ body: @MainActor (RowModel) -> Answer)
        -> Answer
    {
        nonisolated(unsafe) var answer: Answer?
        onMainThread(context) { context in
            // SAFETY: the list retains the context, and asks nobody once it was detached.
            guard let model = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().model else {
                preconditionFailure("a list is detached before its model goes")
            }
            model.readers += 1
            answer = body(model)
            model.readers -= 1
        }
        return answer!
    }

    /// What the list calls back with.
    @MainActor
    private final class Context {
        weak var model: RowModel?
    }

    /// What a row object knows of Swift.
    @MainActor
    fileprivate final class RowContext {
        let id: Identifier
        weak var model: RowModel?

        init(_ id: Identifier, _ model: RowModel) {
            self.id = id
            self.model = model
        }

        static func of(_ row: OpaquePointer) -> RowContext {
            // SAFETY: the row retains the context that it was made with.
            Unmanaged<RowContext>.fromOpaque(listory_row_get_context(row)).takeUnretainedValue()
        }
    }
}
