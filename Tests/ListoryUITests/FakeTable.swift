// A table view without a screen, as strict as UIKit can be. It asks its data source whenever UIKit may, and records
// every mistake that would end an app or show wrong rows.
//
// Always holds: `problems` is empty as long as the driver makes no mistake.

import ListModel
import Listory
import ListoryTestSupport
@testable import ListoryUI

/// A UITableView without a screen.
@MainActor
final class FakeTable<Source: ListSource>: BatchScreen {
    let driver: ListDriver<Source>
    /// Mistakes of the driver that would have ended an app.
    private(set) var problems: [String] = []
    private(set) var batchCount = 0
    /// How often it was reloaded, not counting the first reload, when the driver begins.
    private(set) var reloadCount = -1
    private(set) var reconfiguredCount = 0

    var isOnScreen: Bool
    /// Whether a batch ends as soon as it begins, as without animations.
    var isInstant = false
    /// The mistake that a control makes.
    var mistake: Mistake?

    private(set) var cells: TableSimulator
    private var selectedIDs: Set<UntypedID> = []
    private var ending: (@MainActor () -> Void)?
    private var dragged: ListIndexPath?
    /// The row that is being dragged.
    var dragSource: ListIndexPath? { dragged }
    private var isInBatch = false
    private var isInDrop = false

    /// The mistakes that a driver could make.
    enum Mistake {
        /// The end of a batch is reported when it begins, while it still runs.
        case endsEarly
        /// The view does not report that a row is dragged.
        case neverBusy
    }

    init(_ driver: ListDriver<Source>, isOnScreen: Bool = true) {
        self.driver = driver
        self.isOnScreen = isOnScreen
        cells = TableSimulator(showing: driver.player.shown)
    }

    private var shown: UntypedSnapshot { driver.player.shown }

    private func note(_ problem: String?) {
        if let problem { problems.append(problem) }
    }

    /// Asks for all counts and rows, as UIKit may do at any time outside of a batch.
    func layOut() {
        guard !isInBatch else { return note("laid out inside a batch") }
        let counts = (0..<driver.sectionCount).map { driver.itemCount(inSection: $0) }
        guard counts == cells.sections.map(\.items.count) else {
            return note("the data source answers \(counts), the table shows \(cells.sections.map(\.items.count))")
        }
        for (section, cells) in cells.sections.enumerated() {
            if shown.sections[section].id != cells.id { note("section \(section) is another") }
            for (item, cell) in cells.items.enumerated() {
                let path = ListIndexPath(section: section, item: item)
                guard let row = driver.row(at: path), row.core.id == cell.id else {
                    note("the row at \(path) is another")
                    continue
                }
                // The view may ask for the cell of any row at any time, also between two versions.
                do { try read(row.core.content) } catch { note("the row at \(path) cannot be read: \(error)") }
            }
        }
    }

    private func read(_ content: ContentReference) throws {
        try driver.source.editedStore.source.withContent(of: content) { _ in }
    }

    /// Whether the newest rows are shown, with contents and titles.
    var isUpToDate: Bool { cells.shows(driver.player.newest) }

    // MARK: What the driver asks

    var isBusy: Bool { dragged != nil && mistake != .neverBusy }

    func reload() {
        checkMayPlay("a reload")
        reloadCount += 1
        selectedIDs = []
        cells = TableSimulator(showing: shown)
    }

    func perform(
        _ changes: Changeset, show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void
    ) {
        checkMayPlay("a batch")
        if !isOnScreen { note("a batch without a window") }
        batchCount += 1
        // UIKit counts before it takes the changes.
        layOut()
        isInBatch = true
        show()
        isInBatch = false
        let batch = UpdateBatch(changes: changes, snapshot: shown)
        let verdict = cells.perform(batch.operations, giving: shown)
        if !verdict.isAccepted { note(verdict.description) }
        layOut()
        ending = done
        if isInstant { endBatch() }
        if mistake == .endsEarly { done() }
    }

    func reconfigure(items: [ListIndexPath], sections: [Int]) {
        // While a batch is animated, cells may be configured again.
        checkMayPlay("a reconfiguration", isAnimationAllowed: true)
        reconfiguredCount += items.count + sections.count
        let operations = items.map { TableOperation.reconfigureItem($0) }
        let verdict = cells.perform(
            operations + sections.map { .reconfigureHeader($0) }, giving: shown)
        if !verdict.isAccepted { note(verdict.description) }
    }

    private func checkMayPlay(_ what: String, isAnimationAllowed: Bool = false) {
        if isInBatch { note("\(what) inside a batch") }
        if isInDrop { note("\(what) inside a drop") }
        if dragged != nil { note("\(what) during a drag") }
        if ending != nil && !isAnimationAllowed { note("\(what) while another batch is played") }
    }

    // MARK: What time and the user do

    /// Ends the animation of a batch.
    func endBatch() {
        let ending = ending
        self.ending = nil
        ending?()
        // UIKit may call it twice.
        if !isInstant { ending?() }
    }

    var isAnimating: Bool { ending != nil }

    /// Never reports the end of the batch.
    func loseCompletion() { ending = nil }

    /// Begins to drag a row.
    ///
    /// - Parameter isForced: whether to begin without asking the driver for permission.
    func beginDrag(_ path: ListIndexPath, isForced: Bool = false) {
        if isForced || driver.canMove(at: path) { dragged = path }
    }

    /// Drops the row; nil to drop it where it was.
    ///
    /// - Parameter isForced: whether to drop it without asking the driver where the row may go.
    func drop(_ proposed: ListIndexPath?, isForced: Bool = false) {
        guard let source = dragged else { return }
        defer { dragged = nil }
        guard let proposed else { return }
        let target = isForced ? proposed : driver.target(ofMoving: source, to: proposed)
        guard target != source else { return }
        isInDrop = true
        driver.didMove(from: source, to: target)
        isInDrop = false
        let verdict = cells.perform([.moveItem(from: source, to: target)], giving: shown)
        if !verdict.isAccepted { note("drop: \(verdict)") }
        layOut()
    }

    var selection: [ListIndexPath] {
        cells.sections.enumerated().flatMap { section, cells in
            cells.items.indices.compactMap { item in
                selectedIDs.contains(cells.items[item].id) ? ListIndexPath(section: section, item: item) : nil
            }
        }
    }

    func select(_ paths: [ListIndexPath]) {
        selectedIDs = Set(paths.compactMap { driver.id(at: $0) })
    }
}

/// A table whose data source changes before each batch begins: a control that must be detected.
@MainActor
final class EarlyTable<Source: ListSource>: ListScreen {
    let table: FakeTable<Source>

    init(_ table: FakeTable<Source>) { self.table = table }

    var isOnScreen: Bool { table.isOnScreen }
    var isBusy: Bool { table.isBusy }
    var selection: [ListIndexPath] { table.selection }
    func select(_ paths: [ListIndexPath]) { table.select(paths) }
    func reload() { table.reload() }

    func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] {
        transition.batches(reloadAbove: reloadAbove).map { batch in
            .play(batch.snapshot) { [table] show, done in
                show()
                table.perform(batch.changes, show: {}, done: done)
            }
        }
    }
}
