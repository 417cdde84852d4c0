// A table view without sections and without a screen: an NSTableView that is as strict as possible.

import ListModel
import Listory
import ListoryTestSupport
@testable import ListoryUI

/// An NSTableView without a screen.
@MainActor
final class FakeSequence<Source: ListSource>: OperationScreen {
    let driver: ListDriver<Source>
    let layout: RowLayout
    /// Calls that would have ended an app, or shown wrong rows.
    private(set) var problems: [String] = []
    private(set) var stepCount = 0
    private(set) var reconfiguredCount = 0
    /// How often it was reloaded, not counting the first reload, when the driver begins.
    private(set) var reloadCount = -1

    var isOnScreen = true
    var isBusy = false
    private(set) var cells: SequentialListSimulator
    private var ending: (@MainActor () -> Void)?
    private(set) var selected: Set<UntypedID> = []

    init(_ driver: ListDriver<Source>, _ layout: RowLayout) {
        self.driver = driver
        self.layout = layout
        cells = SequentialListSimulator(showing: driver.rows(in: layout))
    }

    private func note(_ problem: String?) {
        if let problem { problems.append(problem) }
    }

    /// Asks for the count and all rows, as AppKit may do at any time outside of updates.
    func layOut() {
        let rows = driver.rows(in: layout)
        guard rows.count == cells.rows.count else {
            return note("the data source answers \(rows.count), the table shows \(cells.rows.count)")
        }
        for (row, cell) in cells.rows.enumerated() where rows[row].identity != cell.identity {
            note("row \(row) is another")
        }
    }

    var isUpToDate: Bool { cells.shows(driver.player.newest.rows(in: layout)) }
    var isAnimating: Bool { ending != nil }

    func reload() {
        if ending != nil { note("a reload while steps are played") }
        reloadCount += 1
        selected = []
        cells = SequentialListSimulator(showing: driver.rows(in: layout))
    }

    /// Asks for the rows when its updates begin, as an NSTableView with a pending reload does.
    func perform(_ updates: () -> Void, done: @escaping @MainActor () -> Void) {
        if ending != nil { note("steps while others are played") }
        if isBusy { note("steps while busy") }
        if !isOnScreen { note("steps without a window") }
        layOut()
        updates()
        layOut()
        ending = done
    }

    func play(_ step: RowOperation) {
        stepCount += 1
        note(cells.play(step, towards: driver.rows(in: layout)))
    }

    func reconfigure(rows: [Int]) {
        reconfiguredCount += rows.count
        for row in rows { note(cells.play(.update(at: row), towards: driver.rows(in: layout))) }
    }

    /// Ends the animation.
    func end() {
        let ending = ending
        self.ending = nil
        ending?()
    }

    /// Drags rows above another row and drops them; nothing is played in between.
    func drag(_ rows: [Int], above row: Int) {
        let dragged = driver.items(atRows: rows, in: layout)
        isBusy = true
        if let gap = driver.gap(aboveRow: row, in: layout), driver.canMove(dragged, toGap: gap) {
            driver.move(dragged.map(\.core.id), toGap: gap)
        }
        isBusy = false
        driver.player.play()
    }

    var selection: [ListIndexPath] {
        driver.rows(in: layout).indices.compactMap { row in
            guard case .item(let path) = driver.place(atRow: row, in: layout), let id = driver.id(at: path),
                selected.contains(id)
            else { return nil }
            return path
        }
    }

    // NSTableView reports every selection, also one that its adapter makes.
    func select(_ paths: [ListIndexPath]) {
        defer { driver.selectionDidChange() }
        selected = Set(paths.compactMap { driver.id(at: $0) })
    }
}
