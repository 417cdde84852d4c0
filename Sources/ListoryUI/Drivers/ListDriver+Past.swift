// Shows the past: previews and playbacks of old versions. They are played like any other change and commit nothing.
//
// Always holds: while the past is shown, gestures are refused; commits of others are shown when the preview ends.

import ListModel
import Listory

extension ListDriver {
    /// Shows the rows of a version instead of the newest, until ``endPreview()``. This does not change the next undo.
    ///
    /// ```swift
    /// slider.onChange { driver.preview(Version($0)) }
    /// cancelButton.onClick { driver.endPreview() }
    /// restoreButton.onClick { driver.restorePreview() }
    /// ```
    ///
    /// - Returns: whether it could be read. If not, the failure was reported, and the shown rows stay.
    /// - Complexity: that of ``UntypedStore/snapshot(at:)-(Version)``, and of playing the differences.
    @discardableResult
    public func preview(_ version: Version) -> Bool {
        let before = previewed
        previewed = version
        if showNewest(isReporting: true) { return true }
        previewed = before
        return false
    }

    /// Shows the newest rows again. If they cannot be read, the preview goes on.
    public func endPreview() {
        guard let before = previewed else { return }
        previewed = nil
        if !showNewest(isReporting: true) { previewed = before }
    }

    /// Restores the previewed version by one commit, which can be undone, and ends the preview.
    ///
    /// - Returns: whether it was committed; false if no preview is shown.
    @discardableResult
    public func restorePreview() -> Bool {
        guard let version = previewed else { return false }
        previewed = nil
        let isDone = attempt(.restore, ListAction.restore.rawValue) {
            try source.editedStore.restore(
                version, name: ListAction.restore.rawValue, origin: origin, durability: durability)
        }
        if !showNewest(isReporting: true) { previewed = version }
        return isDone
    }

    /// Shows a range of versions one after another, and then the newest rows again. It ends early if its task is
    /// cancelled, or if the preview is ended or changed meanwhile.
    ///
    /// - Parameters:
    ///   - start: the version to begin with.
    ///   - end: the version to end with; if it is the older one, it is played backward.
    ///   - speed: the speed.
    ///   - clock: the clock for pauses.
    /// - Throws: as ``StoreProtocol/playback(from:to:speed:clock:)``; `CancellationError`.
    public func play<C: Clock<Duration>>(
        from start: Version, to end: Version, speed: PlaybackSpeed = .original, clock: C = ContinuousClock()
    ) async throws {
        let versions = try source.editedStore.playback(from: start, to: end, speed: speed, clock: clock)
        guard preview(start) else { return }
        var shown = start
        do {
            for try await frame in versions {
                guard previewed == shown else { return }
                guard preview(frame.snapshot.version) else { break }
                shown = frame.snapshot.version
            }
        } catch {
            if previewed == shown { endPreview() }
            throw error
        }
        if previewed == shown { endPreview() }
    }
}
