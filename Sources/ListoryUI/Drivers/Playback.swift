// What a view shows, and what it is given next.
//
// Always holds:
// - `shown` is what the view's data source has to answer with at any moment: the old rows until a batch asks for the new
//   ones, the rows of that batch from then on;
// - one stage is played at a time, and the next begins after the last one has ended;
// - all stages of a transition are played before the next transition is made; that one leads from what is shown to the
//   newest rows, however many versions lie between;
// - nothing is played while a row is dragged, and a view without a window is reloaded.

import ListModel

/// Leads a view from the rows it shows to the newest ones.
@MainActor
public final class Playback {
    /// What the view shows: its data source answers with these rows.
    public private(set) var shown: Snapshot { didSet { sequence = nil } }
    /// The rows that the view is led to.
    public private(set) var newest: Snapshot
    /// The number of changes above which a view is reloaded instead of animated; nil for never.
    public var reloadAbove: Int?

    /// The view; without one, what is newest is shown.
    private weak var screen: (any ListScreen)?

    /// What remains of the transition that is being played.
    private var waiting: [PlaybackStage] = []
    /// The number of the stage that is being played, or of the last one.
    private var stageNumber = 0
    private var isPlaying = false
    /// Whether `play` is on the stack; a stage that ends at once is followed up there.
    private var isInside = false
    private var isRetrying = false
    private let pause: Pause
    /// The shown rows as one sequence, when somebody asked for it.
    private var sequence: LaidOutRows?

    /// How long to wait before a view that was busy is asked again.
    private static let retryDelay = Duration.milliseconds(50)

    /// A playback of a view that is yet to be shown.
    init(_ snapshot: Snapshot, reloadAbove: Int?, pause: Pause) {
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

    /// Leads another view from now on, which counts its rows now. What the last one was still playing is forgotten.
    func lead(_ screen: any ListScreen) {
        self.screen = screen
        waiting = []
        isPlaying = false
        stageNumber += 1
        shown = newest
        screen.reload()
    }

    /// Takes the newest rows; they are shown when the view is ready.
    func show(_ snapshot: Snapshot) {
        newest = snapshot
        play()
    }

    /// Plays what is to be played now. To be called as well when the view may have become ready: when it has come into a
    /// window, or a drag has ended.
    public func play() {
        guard !isInside else { return }
        isInside = true
        defer { isInside = false }
        while !isPlaying, let stage = nextStage() { begin(stage) }
    }

    private func nextStage() -> PlaybackStage? {
        guard let screen else {
            shown = newest
            waiting = []
            return nil
        }
        if waiting.isEmpty && shown.isSame(as: newest) { return nil }
        if screen.isBusy {
            retry()
            return nil
        }
        if !screen.isOnScreen { waiting = [.reload(newest)] }
        if waiting.isEmpty {
            waiting = screen.stages(of: Transition(from: shown, to: newest), reloadAbove: reloadAbove)
            // Equal rows of two versions: nothing to play, and the newer ones are shown from now on.
            if waiting.isEmpty { shown = newest }
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func begin(_ stage: PlaybackStage) {
        switch stage.kind {
        case .reload:
            let selection = screen.map { KeptSelection($0.selection, in: shown) }
            shown = stage.snapshot
            screen?.reload()
            if let selection, !selection.isEmpty { screen?.select(selection.paths(in: shown)) }
        case .play(let play):
            isPlaying = true
            stageNumber += 1
            let number = stageNumber
            var isShown = false
            play(
                { [self] in
                    isShown = true
                    shown = stage.snapshot
                },
                { [weak self] in self?.end(number) })
            precondition(isShown, "a stage shows its rows before it returns")
        }
    }

    /// A stage has ended. Views have been known to say so twice.
    private func end(_ number: Int) {
        guard isPlaying, number == stageNumber else { return }
        isPlaying = false
        play()
    }

    /// Asks a busy view again, later: not every toolkit tells of the end of a drag.
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

extension Playback {
    /// The user has dropped a row, and the view shows it at its new place already.
    ///
    /// Whatever has to follow is played a little later, because the view has not returned from the drop yet.
    ///
    /// - Parameters:
    ///   - source: where the row was in the shown rows.
    ///   - target: where it is now: its index counts the rows without the one that moved.
    /// - Throws: ``ListError`` if there is no such row or place; the view is reloaded then.
    func didMove(from source: ListIndexPath, to target: ListIndexPath) throws {
        defer { soon() }
        do { shown = try shown.moving(from: source, to: target) } catch {
            waiting = [.reload(newest)]
            throw error
        }
        // What was to follow led on from other rows, and its contents are among what it would have shown.
        if !waiting.isEmpty { waiting = [.reload(newest)] }
    }

    /// Takes the newest rows, and plays them when the view has returned from what it is doing.
    func showSoon(_ snapshot: Snapshot) {
        newest = snapshot
        if waiting.count == 1, case .reload = waiting[0].kind { waiting = [.reload(snapshot)] }
        soon()
    }

    private func soon() {
        pause.after(.zero) { [weak self] in self?.play() }
    }
}

extension Snapshot {
    /// Whether both are the same rows of the same version, so that nothing is to be played.
    func isSame(as other: Snapshot) -> Bool { version == other.version && stateHash == other.stateHash }
}
