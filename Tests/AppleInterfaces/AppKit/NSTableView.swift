// Declarations of AppKit: table views. Of the protocols there are exactly the methods that the adapter implements, and
// all are required, so that one with a wrong signature is noticed.

@MainActor open class NSTableColumn: NSObject {}

@MainActor open class NSTableCellView: NSView {
    open var textField: NSTextField?
}

@MainActor open class NSTableView: NSControl {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var effectFade: AnimationOptions { AnimationOptions(rawValue: 1) }
    }
    public enum DropOperation: UInt, Sendable { case on, above }

    open weak var dataSource: (any NSTableViewDataSource)?
    open weak var delegate: (any NSTableViewDelegate)?

    open func makeView(withIdentifier identifier: NSUserInterfaceItemIdentifier, owner: Any?) -> NSView? { nil }
    open var numberOfColumns: Int { 0 }
    open var selectedRowIndexes: IndexSet { [] }
    open func selectRowIndexes(_ indexes: IndexSet, byExtendingSelection extend: Bool) {}
    open func setDropRow(_ row: Int, dropOperation: DropOperation) {}

    open func reloadData() {}
    open func reloadData(forRowIndexes rowIndexes: IndexSet, columnIndexes: IndexSet) {}
    open func beginUpdates() {}
    open func endUpdates() {}
    open func insertRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {}
    open func removeRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {}
    open func moveRow(at oldIndex: Int, to newIndex: Int) {}
}

public protocol NSTableViewDataSource: NSObjectProtocol {
    @MainActor func numberOfRows(in tableView: NSTableView) -> Int
    @MainActor func tableView(
        _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)?
    @MainActor func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, willBeginAt screenPoint: NSPoint,
        forRowIndexes rowIndexes: IndexSet)
    @MainActor func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, endedAt screenPoint: NSPoint,
        operation: NSDragOperation)
    @MainActor func tableView(
        _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
        proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation
    @MainActor func tableView(
        _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
        dropOperation: NSTableView.DropOperation
    ) -> Bool
}

public protocol NSControlTextEditingDelegate: NSObjectProtocol {}

public protocol NSTableViewDelegate: NSControlTextEditingDelegate {
    @MainActor func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool
    @MainActor func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool
    @MainActor func tableViewSelectionDidChange(_ notification: Notification)
    @MainActor func tableView(
        _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
    ) -> NSView?
}
