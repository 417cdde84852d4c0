// The rows that a view shows, and the phases that it plays next.
//
// Always holds:
// - the view's data source answers with `shown`: the old rows until a batch asks for the new ones, the rows of that
//   batch from then on;
// - one structural phase is played at a time, and the next begins after its animation has ended; contents are shown
//   again while it runs;
// - all phases of a transition are played before the next transition is made; that one leads from the shown rows to the
//   newest ones, however many versions are between;
// - nothing is played while a row is dragged, and a view without a window is reloaded;
// - a view that never reports the end of an animation is reloaded, and does not stop the list.

import ListModel

/// Updates a view from the rows that it shows to the newest ones.
@MainActor
public final class TransitionPlayer {
    /// The rows that the view shows: its data source answers with them.
    public private(set) var shown: UntypedSnapshot { didSet { sequence = nil } }
    /// The rows that the view will show.
    public private(set) var newest: UntypedSnapshot
    /// The number of changes above which a view is reloaded instead of animated; nil for never.
    public var reloadAbove: Int?

    /// The view; without one, `shown` follows `newest`.
    private weak var screen: (any ListScreen)?

    /// The phases of the present transition that are not played yet.
    private var waiting: [TransitionPhase] = []
    /// Shows contents again that do not follow from the rows, when the view is ready.
    private var refreshing: (@MainActor () -> Void)?
    /// The number of the structural phase that is being played, or of the last one.
    private var phaseNumber = 0
    /// Whether a structural phase is being animated.
    private var isPlaying = false
    /// Whether a caller of this code is changing the view. If a phase ends at once, that caller plays the next one; and
    /// a change of the selection meanwhile was not made by the user.
    private(set) var isChangingView = false
    private var isRetrying = false
    private var isWatching = false
    private let pause: Pause
    /// The shown rows as one sequence, once it has been used.
    private var sequence: LaidOutRows?

    /// How long to wait before a busy view is asked again.
    private static let retryDelay = Duration.milliseconds(50)
    /// The limit for an animation. No animation takes that long, so the view has lost the completion.
    static let phaseLimit = Duration.seconds(5)

    /// A player without a view yet.
    init(_ snapshot: UntypedSnapshot, reloadAbove: Int?, pause: Pause) {
        shown = snapshot
        newest = snapshot
        self.reloadAbove = reloadAbove
        self.pause = pause
    }

    /// Whether the newest rows are shown and nothing is being played.
    public var isSettled: Bool { !isPlaying && waiting.isEmpty && shown.isSame(as: newest) }

    /// The shown rows in one sequence.
    func rows(in layout: RowLayout) -> LaidOutRows {
        if let sequence, sequence.layout == layout { return sequence }
        let rows = shown.rows(in: layout)
        sequence = rows
        return rows
    }

    /// Uses another view from now on, which counts its rows now. Phases that the last view was still playing are
    /// dropped.
    func lead(_ screen: any ListScreen) {
        self.screen = screen
        waiting = []
        isPlaying = false
        phaseNumber += 1
        shown = newest
        let wasChanging = isChangingView
        isChangingView = true
        screen.reload()
        isChangingView = wasChanging
    }

    /// Takes the newest rows; they are shown when the view is ready.
    func show(_ snapshot: UntypedSnapshot) {
        newest = snapshot
        play()
    }

    /// Shows contents again that changed for another reason than the rows: at once, or when the drag of a row has ended. Of several that
    /// wait, the last one is called.
    func refresh(_ show: @escaping @MainActor () -> Void) {
        refreshing = show
        play()
    }

    /// Plays the next phase, if the view is ready. Call it also when the view may have become ready: when it has come
    /// into a window, or a drag has ended.
    public func play() {
        guard !isChangingView else { return }
        isChangingView = true
        defer { isChangingView = false }
        while let phase = nextPhase() { begin(phase) }
    }

    private func nextPhase() -> TransitionPhase? {
        guard let screen else {
            shown = newest
            waiting = []
            refreshing = nil
            return nil
        }
        if let show = refreshing, !screen.isBusy {
            refreshing = nil
            return .contents(shown, show)
        }
        if isPlaying {
            // While an animation runs, only a contents phase may be played.
            guard case .contents = waiting.first, screen.isOnScreen, !screen.isBusy else { return nil }
            return waiting.removeFirst()
        }
        if refreshing == nil && waiting.isEmpty && shown.isSame(as: newest) { return nil }
        if screen.isBusy {
            retry()
            return nil
        }
        if !screen.isOnScreen { waiting = [.reload(newest)] }
        if waiting.isEmpty {
            waiting = screen.phases(of: ListTransition(from: shown, to: newest), reloadAbove: reloadAbove)
            // If the rows of two versions are equal, nothing is played, and the newer version counts as shown.
            if waiting.isEmpty { shown = newest }
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func begin(_ phase: TransitionPhase) {
        switch phase {
        case .reload(let snapshot):
            let selection = screen.map { KeptSelection($0.selection, in: shown) }
            shown = snapshot
            screen?.reload()
            if let selection, !selection.isEmpty { screen?.select(selection.paths(in: shown)) }
        case .play(let snapshot, let play):
            isPlaying = true
            phaseNumber += 1
            let number = phaseNumber
            var isShown = false
            play(
                { [self] in
                    isShown = true
                    shown = snapshot
                },
                { [weak self] in self?.end(number) })
            precondition(isShown, "a phase shows its rows before it returns")
            if isPlaying { watch() }
        case .contents(let snapshot, let show):
            shown = snapshot
            show()
        }
    }

    /// The animation of a phase has ended. Some views report it twice.
    private func end(_ number: Int) {
        guard isPlaying, number == phaseNumber else { return }
        isPlaying = false
        play()
    }

    /// Checks after a while whether the present phase has ended, and gives it up if not: a view that leaves its window,
    /// or an animation that is replaced by another, may lose its completion.
    private func watch() {
        if isWatching { return }
        isWatching = true
        let number = phaseNumber
        pause.after(Self.phaseLimit) { [weak self] in
            guard let self else { return }
            isWatching = false
            guard isPlaying else { return }
            if number != phaseNumber { return watch() }
            waiting = [.reload(newest)]
            end(number)
        }
    }

    /// Asks a busy view again later, because not every toolkit reports the end of a drag.
    private func retry() {
        if isRetrying { return }
        isRetrying = true
        pause.after(Self.retryDelay) { [weak self] in
            self?.isRetrying = false
            self?.play()
        }
    }
}

// MARK: - Rows that were dragged

extension TransitionPlayer {
    /// The user has dropped a row, and the view already shows it at its new place.
    ///
    /// The next phases are played a little later, because the view has not returned from the drop yet.
    ///
    /// - Parameters:
    ///   - source: its place in the shown rows before the drag.
    ///   - target: its place now: the index counts the rows without the one that moved.
    /// - Throws: ``ListError`` if there is no such row or place; the view is reloaded then.
    func didMove(from source: ListIndexPath, to target: ListIndexPath) throws {
        defer { soon() }
        do { shown = try shown.moving(from: source, to: target) } catch {
            waiting = [.reload(newest)]
            throw error
        }
        // The remaining phases were made for other rows. A reload shows the same result.
        if !waiting.isEmpty { waiting = [.reload(newest)] }
    }

    /// Takes the newest rows, and plays them when the present call of the view has returned.
    func showSoon(_ snapshot: UntypedSnapshot) {
        newest = snapshot
        if waiting.count == 1, case .reload = waiting[0] { waiting = [.reload(snapshot)] }
        soon()
    }

    private func soon() {
        pause.after(.zero) { [weak self] in self?.play() }
    }
}

extension UntypedSnapshot {
    /// Whether both are the same rows of the same version, so that nothing has to be played.
    func isSame(as other: UntypedSnapshot) -> Bool { version == other.version && stateHash == other.stateHash }
}

// MARK: - Selection and time

/// The selected rows of a view, by id, so that they are still selected after a reload.
struct KeptSelection {
    private let ids: Set<UntypedID>

    /// The rows at some paths.
    init(_ paths: [ListIndexPath], in snapshot: UntypedSnapshot) {
        ids = Set(paths.compactMap { snapshot.item(at: $0)?.id })
    }

    /// Whether nothing is selected.
    var isEmpty: Bool { ids.isEmpty }

    /// The paths of the rows that still exist, ascending.
    ///
    /// - Complexity: O(n) until all are found; O(1) without a selection.
    func paths(in snapshot: UntypedSnapshot) -> [ListIndexPath] {
        var found: [ListIndexPath] = []
        for (section, view) in snapshot.sections.enumerated() {
            for (item, row) in view.items.enumerated() {
                if found.count == ids.count { return found }
                if ids.contains(row.id) { found.append(ListIndexPath(section: section, item: item)) }
            }
        }
        return found
    }
}

/// Calls something later on the main actor. Tests replace it with a queue of their own.
struct Pause: Sendable {
    /// Calls a closure after a time; with zero, as soon as the present call has returned.
    let after: @MainActor @Sendable (Duration, @escaping @MainActor () -> Void) -> Void

    /// The system's clock.
    static let system = Pause { duration, body in
        Task { @MainActor in
            if duration > .zero { try? await Task.sleep(for: duration) }
            body()
        }
    }
}
