// Declarations of AppKit: table views. Optional methods are optional, as there.

@MainActor open class NSTableColumn: NSObject {
    public init(identifier: NSUserInterfaceItemIdentifier) {}
    open var identifier: NSUserInterfaceItemIdentifier = .init("")
}

@MainActor open class NSTableHeaderView: NSView {}

@MainActor open class NSTableCellView: NSView {
    open var textField: NSTextField?
}

@MainActor open class NSTableView: NSControl {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var effectFade: AnimationOptions { AnimationOptions(rawValue: 1) }
    }
    @objc public enum DropOperation: UInt, Sendable { case on, above }

    open weak var dataSource: (any NSTableViewDataSource)?
    open weak var delegate: (any NSTableViewDelegate)?

    open func addTableColumn(_ tableColumn: NSTableColumn) {}
    open var headerView: NSTableHeaderView?
    open var usesAutomaticRowHeights: Bool = false
    open var allowsMultipleSelection: Bool = false
    open func rows(in rect: NSRect) -> NSRange { NSRange() }
    open func makeView(withIdentifier identifier: NSUserInterfaceItemIdentifier, owner: Any?) -> NSView? { nil }
    open var numberOfColumns: Int { 0 }
    open var tableColumns: [NSTableColumn] { [] }
    open func view(atColumn column: Int, row: Int, makeIfNecessary: Bool) -> NSView? { nil }
    open func noteHeightOfRows(withIndexesChanged indexSet: IndexSet) {}
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

@objc public protocol NSTableViewDataSource: NSObjectProtocol {
    @MainActor @objc optional func numberOfRows(in tableView: NSTableView) -> Int
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)?
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, willBeginAt screenPoint: NSPoint,
        forRowIndexes rowIndexes: IndexSet)
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, endedAt screenPoint: NSPoint,
        operation: NSDragOperation)
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
        proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
        dropOperation: NSTableView.DropOperation
    ) -> Bool
}

@objc public protocol NSControlTextEditingDelegate: NSObjectProtocol {}

@objc public protocol NSTableViewDelegate: NSControlTextEditingDelegate {
    @MainActor @objc optional func tableView(_ tableView: NSTableView, heightOfRow row: Int) -> CGFloat
    @MainActor @objc optional func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool
    @MainActor @objc optional func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool
    @MainActor @objc optional func tableViewSelectionDidChange(_ notification: Notification)
    @MainActor @objc optional func tableView(
        _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
    ) -> NSView?
}
