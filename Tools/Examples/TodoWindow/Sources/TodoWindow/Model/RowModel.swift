// A GListModel over snapshots: GTK asks it for rows, and splices announce their changes.
//
// A row is an object that exists as long as GTK holds it. If GTK asks for a row again, the model returns the same
// object, so a row keeps its identity when it moves. If the content of a row changes, its object emits a signal, so the
// list view neither removes nor adds it.
//
// Always holds:
// - `items-changed` is emitted after the model has changed, and never during a call of the model;
// - when it is emitted, the rows before the end of the splice are the new ones, and those after it are still the old
//   ones;
// - two existing objects never represent the same row.

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
    public private(set) var snapshot: UntypedSnapshot
    /// The rows with which the model answers; between two splices, they are of both versions.
    private var rows: SplicedRows
    private let source: any CommitSource
    private let decode: @Sendable (UnsafeRawBufferPointer) throws -> Todo
    /// The rows that GTK holds.
    private var living: [UntypedID: OpaquePointer] = [:]
    /// How many calls of the model are being answered.
    private var readers = 0

    /// A model that shows a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the rows. Sections are shown one after another, without headers.
    ///   - source: reads their content.
    public init(_ snapshot: UntypedSnapshot, _ source: any CommitSource) {
        self.snapshot = snapshot
        self.source = source
        decode = ContentCoder<Todo>.json.decode
        rows = Self.settled(snapshot)
        let context = Context()
        list = listory_row_list_new(
            Unmanaged.passRetained(context).toOpaque(),
            { context in RowModel.asking(context!) { guint($0.rows.count) } },
            { context, position in RowModel.asking(context!) { $0.row(at: Int(position)).raw } },
            // SAFETY: this ends the retain above, when the list is freed.
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
        return UUID(untypedID: item.id)
    }

    /// The offset of a row, or nil if it is not shown.
    ///
    /// - Complexity: O(n).
    public func offset(of id: UUID) -> Int? {
        snapshot.indexPath(of: .uuid(id)).flatMap { snapshot.rows(in: .rows).offset(of: $0) }
    }

    /// Shows other rows, by splices from the present ones.
    ///
    /// - Returns: the splices.
    /// - Complexity: O(k log n) for k rows that differ.
    @discardableResult
    public func show(_ new: UntypedSnapshot) -> RowSplices {
        let splices = ListTransition(from: snapshot, to: new).splices(layout: .rows)
        snapshot = new
        rows = SplicedRows(splices)
        while let splice = rows.advance() {
            // A row that moves may have changed as well; the list view gets the same object for it.
            for offset in splice.position..<splice.position + splice.added { refresh(rows[offset]) }
            announce(splice)
        }
        for offset in splices.updated { refresh(rows[offset]) }
        // The snapshot before is no longer needed.
        rows = Self.settled(new)
        return splices
    }

    /// Announces a splice to GTK.
    private func announce(_ splice: Splice) {
        precondition(readers == 0, "items-changed is not emitted while the model is read")
        g_list_model_items_changed(list, guint(splice.position), guint(splice.removed), guint(splice.added))
    }

    /// Rows with nothing left to play.
    private static func settled(_ snapshot: UntypedSnapshot) -> SplicedRows {
        SplicedRows(ListTransition(from: snapshot, to: snapshot).splices(layout: .rows))
    }
}

// MARK: - Row objects

extension RowModel {
    /// The id of the row that an object represents, or nil if it is not that of a to-do.
    public static func id(of row: OpaquePointer) -> UUID? { UUID(untypedID: RowContext.of(row).id) }

    /// Whether an object exists for a row, because GTK holds it.
    public func isHeld(_ id: UUID) -> Bool { living[.uuid(id)] != nil }

    /// The object of the row at an offset, with a reference for the caller.
    private func row(at offset: Int) -> OpaquePointer {
        guard case .item(let item) = rows[offset] else { preconditionFailure("the layout has no headers") }
        if let row = living[item.id] { return OpaquePointer(g_object_ref(row.raw)) }
        let context = RowContext(item.id, self)
        let row = listory_row_new(Unmanaged.passRetained(context).toOpaque()) { context in
            onMainThread(context!) {
                // SAFETY: this ends the retain above, once, when GLib finalizes the row.
                let context = Unmanaged<RowContext>.fromOpaque($0).takeRetainedValue()
                context.model?.living[context.id] = nil
            }
        }!
        listory_row_set(row, title(of: item), item.isChecked.gboolean)
        living[item.id] = row
        return row
    }

    /// Updates the object of a row, if it exists.
    private func refresh(_ row: SequenceRow) {
        guard case .item(let item) = row, let object = living[item.id] else { return }
        // Its observers may release it.
        g_object_ref(object.raw)
        listory_row_set(object, title(of: item), item.isChecked.gboolean)
        g_object_unref(object.raw)
    }

    /// The title of a row; if it cannot be read, the error.
    private func title(of item: UntypedRow) -> String {
        do { return try source.withContent(of: item.content, decode).title } catch { return "Unreadable: \(error)" }
    }

    /// Answers a call of GTK.
    private static func asking<Answer>(_ context: UnsafeMutableRawPointer, _ body: @MainActor (RowModel) -> Answer)
        -> Answer
    {
        nonisolated(unsafe) var answer: Answer?
        onMainThread(context) { context in
            // SAFETY: the list retains the context, and makes no calls after it was detached.
            guard let model = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().model else {
                preconditionFailure("a list is detached before its model goes")
            }
            model.readers += 1
            answer = body(model)
            model.readers -= 1
        }
        return answer!
    }

    /// The context of the list's callbacks.
    @MainActor
    private final class Context {
        weak var model: RowModel?
    }

    /// The Swift part of a row object.
    @MainActor
    fileprivate final class RowContext {
        let id: UntypedID
        weak var model: RowModel?

        init(_ id: UntypedID, _ model: RowModel) {
            self.id = id
            self.model = model
        }

        static func of(_ row: OpaquePointer) -> RowContext {
            // SAFETY: the row retains the context that it was made with.
            Unmanaged<RowContext>.fromOpaque(listory_row_get_context(row)).takeUnretainedValue()
        }
    }
}
