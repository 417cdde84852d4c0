// A list for SwiftUI: an observable object whose rows have stable ids.
//
// SwiftUI compares the ids of two versions itself, in O(n), so it gets no batches: whenever the rows have changed, `snapshot`
// is replaced. The driver may show the same rows on a table view meanwhile, in batches. Works wherever Observation does,
// and does not import SwiftUI.
//
// Always holds:
// - when a gesture returns, `sections` has the result of its commit, so a dragged row or a typed text does not jump back;
// - `snapshot` is replaced only by other rows, so a commit that changes none of them costs SwiftUI nothing.

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
/// ids of all rows, in O(n). `ListTable` shows the same list with the same row views in O(change).
@MainActor
@Observable
public final class ObservableList<Source: ListSource> {
    /// A section of the list.
    public typealias Section = ObservableSection<Source>
    /// A row of the list.
    public typealias Row = ObservableRow<Source>

    /// The rows that are shown: the newest, or those of the past. Its version is that of the last change of a row.
    public private(set) var snapshot: ListSnapshot<Source.SectionID, Source.Item>
    /// The next undo and redo, for buttons and menus.
    public private(set) var undoState: UndoState
    /// The last failure; an alert may show it and set it to nil.
    public var failure: ListFailure?
    /// The newest version of the store.
    public private(set) var newestVersion: Version
    /// The version of the past that is shown.
    private var past: Version?
    /// Whether the source kept the order of the store when rows were read last.
    private var keptOrder: Bool

    /// The driver, which commits the gestures; its names and rules may be changed.
    @ObservationIgnored public let driver: ListDriver<Source>
    /// How newer rows are shown, for example `withAnimation`. Rows that the user has dragged, swiped away or typed are on
    /// screen already and are shown without it.
    @ObservationIgnored public var animate: (_ change: () -> Void) -> Void = { $0() }
    @ObservationIgnored private var isOnScreenAlready = false
    /// The rows that were compared with ``snapshot`` last.
    @ObservationIgnored private var compared: ListSnapshot<Source.SectionID, Source.Item>?
    @ObservationIgnored private let undoDriver: UndoDriver<Source>

    /// An observable list.
    ///
    /// - Parameters:
    ///   - source: the rows to show and the store to edit.
    ///   - names: how commits are named.
    /// - Throws: ``ListError/closed``, or an error of the source.
    public convenience init(_ source: Source, names: ActionNames<Source.Item>) throws {
        let reporter = FailureReporter()
        try self.init(ListDriver(source, names: names) { reporter.report($0) }, reporter)
    }

    init(_ driver: ListDriver<Source>, _ reporter: FailureReporter) {
        self.driver = driver
        undoDriver = UndoDriver(driver)
        snapshot = driver.newest
        undoState = undoDriver.state
        newestVersion = (try? driver.source.editedStore.version) ?? driver.newest.version
        keptOrder = driver.source.keepsOrder
        reporter.onFailure = { [weak self] in self?.failure = $0 }
        driver.onRows = { [weak self] in self?.take() }
        undoDriver.onLook = { [weak self] in self?.takeHistory() }
    }

    private func takeHistory() {
        if undoState != undoDriver.state { undoState = undoDriver.state }
        if let version = try? driver.source.editedStore.version, version != newestVersion { newestVersion = version }
    }

    private func take() {
        undoDriver.refresh()
        if past != driver.previewed { past = driver.previewed }
        if keptOrder != driver.source.keepsOrder { keptOrder.toggle() }
        let (rows, last) = (driver.newest, compared)
        compared = rows
        // A content that is written again after it was erased changes no hash.
        if rows.stateHash == snapshot.stateHash, rows.changeset(from: last ?? snapshot).isEmpty { return }
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

    /// Whether rows have the order and the sections of the store, so that they can be moved.
    var keepsOrder: Bool {
        // Read so that a view is notified of another query also if the rows stay the same.
        _ = keptOrder
        return driver.source.keepsOrder
    }

    /// The name of the step that undo reverts, or nil if there is none.
    public var undoName: String? { undoState.undo?.name }

    /// The name of the step that redo repeats, or nil if there is none.
    public var redoName: String? { undoState.redo?.name }
}

// MARK: - Time travel

extension ObservableList {
    /// The version whose rows are shown, for a slider. Setting it shows the rows of that version, until it is set to the
    /// newest version. Nothing is committed meanwhile. If a version cannot be read, `failure` says why, and the shown rows stay.
    public var shownVersion: Version {
        get { past ?? newestVersion }
        set { if newValue < newestVersion { driver.preview(newValue) } else { driver.endPreview() } }
    }

    /// The oldest version that can be shown.
    public var oldestVersion: Version { driver.source.editedStore.oldestVersion }

    /// Whether the past is shown. Gestures are refused meanwhile.
    public var isPastShown: Bool { past != nil }

    /// Makes the shown rows of the past the newest ones, by one commit, which can be undone.
    ///
    /// - Returns: whether it was committed; false if no past is shown.
    @discardableResult
    public func restoreShownVersion() -> Bool { driver.restorePreview() }
}

// MARK: - Between the driver and the list

/// Reports failures to an observable list. The driver is made first and needs a place to report to.
@MainActor
final class FailureReporter {
    var onFailure: ((ListFailure) -> Void)?

    func report(_ failure: ListFailure) { onFailure?(failure) }
}
