// What the driver of an observable list takes for its view.

import ListModel

/// The view of an observable list: one that is always given all rows.
@MainActor
final class ObservingScreen: ListScreen {
    var onReload: (() -> Void)?

    var isOnScreen: Bool { false }
    var isBusy: Bool { false }
    // SwiftUI keeps the selection by id.
    var selection: [ListIndexPath] { [] }
    func select(_ paths: [ListIndexPath]) {}
    func reload() { onReload?() }
    func stages(of transition: Transition, reloadAbove: Int?) -> [PlaybackStage] { [.reload(transition.new)] }
}
