// A list for SwiftUI: an observable object whose rows have stable ids.
//
// SwiftUI compares the ids of two versions itself, in O(n), so no batches are played: whenever there are newer rows, `snapshot`
// is replaced. Works wherever Observation does, and does not import SwiftUI.
//
// Always holds: when a gesture returns, `sections` has the result of its commit, so a dragged row or a typed text does
// not jump back.

import ListModel
import Listory
import Observation

/// A store, or a view derived from one, as an observable object.
///
/// ```swift
/// @State private var list: ObservableList<ListStore<String, Todo>>
///
/// List {
///     ForEach(list.sections) { section in
///         Section(section.title) {
///             ForEach(section.rows) { row in
///                 TextField("Title", text: list.binding(row, \.title, default: "", named: "Rename"))
///             }
///             .onMove { list.move($0, to: $1, in: section) }
///             .onDelete { list.delete($0, in: section) }
///         }
///     }
/// }
/// ```
///
/// Making one is O(log n), and so is each commit, up to the replacement of `snapshot`. A SwiftUI `List` then reads the
/// ids of all rows, in O(n): for lists of many thousand rows that are edited with every key stroke, a table view with
/// an adapter is faster.
@MainActor
@Observable
public final class ObservableList<Source: ListSource> {
    /// The rows that are shown.
    public private(set) var snapshot: ListSnapshot<Source.SectionID, Source.Item>
    /// The next undo and redo, for buttons and menus.
    public private(set) var undoState: UndoState
    /// The last failure; an alert may show it and set it to nil.
    public var failure: ListFailure?

    /// The driver, which commits the gestures; its names and rules may be changed.
    @ObservationIgnored public let driver: ListDriver<Source>
    /// How newer rows are shown, for example `withAnimation`. Rows that the user has dragged, swiped away or typed are on
    /// screen already and are shown without it.
    @ObservationIgnored public var animate: (_ change: () -> Void) -> Void = { $0() }
    @ObservationIgnored private var isOnScreenAlready = false
    @ObservationIgnored private let screen = ObservingScreen()
    @ObservationIgnored private let undoDriver: UndoDriver<Source>

    /// An observable list.
    ///
    /// - Parameters:
    ///   - source: the rows to show and the store to edit.
    ///   - names: how commits are named.
    /// - Throws: ``StoreError/closed``, or an error of the source.
    public convenience init(_ source: Source, names: ActionNames<Source.Item>) throws {
        let reporter = FailureReporter()
        try self.init(ListDriver(source, names: names) { reporter.report($0) }, reporter)
    }

    init(_ driver: ListDriver<Source>, _ reporter: FailureReporter) {
        self.driver = driver
        undoDriver = UndoDriver(driver)
        snapshot = driver.shown
        undoState = undoDriver.state
        reporter.onFailure = { [weak self] in self?.failure = $0 }
        screen.onReload = { [weak self] in self?.take() }
        undoDriver.onEvent = { [weak self] _ in self?.takeUndoState() }
        driver.drive(screen)
    }

    private func takeUndoState() {
        if undoState != undoDriver.state { undoState = undoDriver.state }
    }

    private func take() {
        undoDriver.refresh()
        let rows = driver.shown
        if isOnScreenAlready { snapshot = rows } else { animate { snapshot = rows } }
    }

    /// Makes a commit whose result the screen already shows.
    func withoutAnimation(_ gesture: () -> Bool) -> Bool {
        isOnScreenAlready = true
        defer { isOnScreenAlready = false }
        return gesture()
    }

    /// The sections, in order; for `ForEach`.
    ///
    /// - Complexity: O(1); sections and rows are made when they are read.
    public var sections: ObservableSections<Source> { ObservableSections(snapshot: snapshot) }

    /// The name of the step that undo reverts, or nil if there is none.
    public var undoName: String? { undoState.undo?.name }

    /// The name of the step that redo repeats, or nil if there is none.
    public var redoName: String? { undoState.redo?.name }
}

// MARK: - Between the driver and the list

/// Reports failures to an observable list. The driver is made first and needs a place to report to.
@MainActor
final class FailureReporter {
    var onFailure: ((ListFailure) -> Void)?

    func report(_ failure: ListFailure) { onFailure?(failure) }
}

/// The screen of an observable list: one that is always reloaded.
@MainActor
final class ObservingScreen: ListScreen {
    var onReload: (() -> Void)?

    var isOnScreen: Bool { false }
    var isBusy: Bool { false }
    // SwiftUI keeps the selection by id.
    var selection: [ListIndexPath] { [] }
    func select(_ paths: [ListIndexPath]) {}
    func reload() { onReload?() }
    func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] { [.reload(transition.new)] }
}
