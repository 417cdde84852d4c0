// Connects a list to a view: which rows the view shows, and what a user's gestures commit.
//
// The newest rows go to the player, which plays them when the view is ready. A gesture becomes a commit with a name in
// the store; the view is updated by that commit, as by any other.
//
// Always holds: after each gesture, the view shows the rows of the source in the end, whether the commit succeeded or
// not; every error is reported.

import ListModel
import Listory

/// Keeps a list view up to date, and commits what a user does in it.
///
/// Each adapter for UIKit, AppKit and SwiftUI uses a driver; the driver itself depends on no toolkit.
///
/// ```swift
/// let driver = try ListDriver(store, names: ActionNames { $0.title }) { failure in
///     alert(failure.description)
/// }
/// driver.toggle(driver.id(at: path)!)     // "Check Milk"
/// ```
@MainActor
public final class ListDriver<Source: ListSource> {
    /// The rows that are shown, and the store that is edited.
    public let source: Source
    /// The rows that the view shows now, and the rows that it will show.
    public let player: TransitionPlayer
    /// How commits are named.
    public var names: ActionNames<Source.Item>
    /// What a user may do with which row.
    public var rules = RowRules<Source.Item>()
    /// Whether the rows are an outline. Then a row is deleted and moved with all rows below it, and an inserted or
    /// dropped row gets its depth from the rows around it.
    public var isOutline = false
    /// The origin of the commits, for example the user.
    public var origin = "" {
        didSet { if origin != oldValue { for observer in originObservers { observer.object?.refresh() } } }
    }
    /// What a commit waits for; nil for the store's default. The driver's default is not to wait for the disk, because
    /// the user would wait too.
    public var durability: Durability? = .deferred
    /// The policy of undo and redo for conflicts.
    public var onConflict = ConflictPolicy.refuse
    /// The version of the past that is shown instead of the newest rows; see ``preview(_:)``.
    public internal(set) var previewed: Version? { didSet { collapsedParents = nil } }

    private let onFailure: @MainActor (ListFailure) -> Void
    /// The rows that were read last, with the app's types: the view shows them as soon as it is ready. The player has no
    /// types.
    private(set) var newest: ListSnapshot<Source.SectionID, Source.Item>
    /// Called each time when rows were read, whether or not the view is ready to show them.
    var onRows: @MainActor () -> Void = {}
    /// What is told when the origin has changed, whose undo state may be another.
    private var originObservers: [OriginObserver] = []

    private struct OriginObserver {
        weak var object: (any DrivenUndo)?
    }
    /// The collapsed rows that other rows are below, at the previewed version; nil until it is asked for. See ``disclosure(at:)``.
    var collapsedParents: Set<UntypedID>?
    private var following: Task<Void, Never>?

    /// Tells an undo driver of other origins, as long as it is there.
    func add(_ observer: any DrivenUndo) {
        originObservers.removeAll { $0.object == nil }
        originObservers.append(OriginObserver(object: observer))
    }

    /// A driver without a view yet.
    ///
    /// - Parameters:
    ///   - source: the rows to show and the store to edit.
    ///   - names: how commits are named.
    ///   - reloadAbove: the number of changes above which the view is reloaded instead of animated; nil for never.
    ///   - onFailure: receives gestures that could not be committed, and errors of reading.
    /// - Throws: ``ListError/closed``, or an error of the source.
    public convenience init(
        _ source: Source, names: ActionNames<Source.Item>, reloadAbove: Int? = 1_000,
        onFailure: @escaping @MainActor (ListFailure) -> Void
    ) throws {
        try self.init(source, names: names, reloadAbove: reloadAbove, pause: .system, onFailure: onFailure)
    }

    /// A driver with a given clock.
    ///
    /// - Parameter initial: the rows to begin with; nil for the newest ones.
    init(
        _ source: Source, names: ActionNames<Source.Item>,
        initial: ListSnapshot<Source.SectionID, Source.Item>? = nil, reloadAbove: Int?, pause: Pause,
        onFailure: @escaping @MainActor (ListFailure) -> Void
    ) throws {
        self.source = source
        self.names = names
        self.onFailure = onFailure
        // Observation begins before the first read, so that no change is missed in between.
        let changes = try source.changes()
        newest = try initial ?? source.snapshot
        player = TransitionPlayer(newest.core, reloadAbove: reloadAbove, pause: pause)
        following = Task { [weak self] in
            for await _ in changes {
                guard let self else { return }
                refresh()
            }
        }
    }

    deinit { following?.cancel() }

    /// Shows the rows on a view from now on, and on no other. The view is reloaded. The driver has only a weak
    /// reference to it.
    public func drive(_ screen: any ListScreen) { player.lead(screen) }

    /// Reads the newest rows now, without waiting for a signal of the source.
    public func refresh() { showNewest(isReporting: true) }

    /// Shows the result of a gesture. If it cannot be read, that is reported once, at the next signal of the source.
    func showResult() { showNewest(isReporting: false) }

    /// Shows the newest rows, or the previewed rows of the past.
    ///
    /// - Parameters:
    ///   - isReporting: whether it is reported if they cannot be read.
    ///   - soon: whether the view first has to return from its present call.
    /// - Returns: whether they could be read. If not, the shown rows stay.
    @discardableResult
    func showNewest(isReporting: Bool, soon: Bool = false) -> Bool {
        do { newest = try previewed.map { try source.snapshot(at: $0) } ?? source.snapshot } catch ListError.closed {
            // There are no newer rows.
            return false
        } catch {
            if isReporting { report(.read, ListAction.read.rawValue, error) }
            return false
        }
        if soon { player.showSoon(newest.core) } else { player.show(newest.core) }
        onRows()
        return true
    }

    /// Reports a failure.
    public func report(_ action: ListAction, _ name: String, _ error: any Error) {
        onFailure(ListFailure(action: action, name: name, cause: error))
    }
}

// MARK: - What a data source answers

extension ListDriver {
    /// The rows that the view shows.
    public var shown: ListSnapshot<Source.SectionID, Source.Item> { newest.showing(player.shown) }

    /// How many sections the view shows.
    public var sectionCount: Int { player.shown.sectionCount }

    /// How many rows the view shows in a section; 0 if there is no such section.
    public func itemCount(inSection index: Int) -> Int { player.shown.itemCount(inSection: index) }

    /// The section at an index of the shown rows, or nil if there is none.
    public func section(at index: Int) -> ListSnapshot<Source.SectionID, Source.Item>.Section? {
        shown.section(at: index)
    }

    /// The row at an index path of the shown rows, or nil if there is none.
    public func row(at path: ListIndexPath) -> ListRow<Source.Item>? { shown.row(at: path) }

    /// The id of the row at an index path of the shown rows, or nil if there is none.
    public func id(at path: ListIndexPath) -> UntypedID? { player.shown.item(at: path)?.id }

    /// The control of editing mode for the row at an index path.
    public func editing(at path: ListIndexPath) -> RowEditing {
        previewed == nil ? row(at: path).map(rules.editing) ?? .none : .none
    }

    /// Whether the row at an index path may be moved.
    public func canMove(at path: ListIndexPath) -> Bool {
        source.keepsOrder && previewed == nil && (row(at: path).map(rules.canMove) ?? false)
    }

    /// Where a dragged row may be dropped: at the proposed place, otherwise at its old place.
    public func target(ofMoving path: ListIndexPath, to proposed: ListIndexPath) -> ListIndexPath {
        guard let row = row(at: path), canMove(at: path), rules.canMoveInto(row, proposed.section) else { return path }
        return proposed
    }
}
