// What is said of the other processes that have a store open.

/// Another process that has a store open.
public struct OtherProcess: Hashable, Sendable {
    /// Its number in the system.
    public let processID: Int32
    /// Whether it may edit the store, and does not only read it.
    public let isEditing: Bool

    init(_ neighbour: ProcessTable.Neighbour) {
        (processID, isEditing) = (neighbour.processID, neighbour.isAppending)
    }
}
