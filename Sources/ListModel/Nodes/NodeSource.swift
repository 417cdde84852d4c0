// Where stored nodes are read: a database, or a dictionary in a test.
//
// Always holds: the bytes under a number never change while anybody may read them.

/// Reads the bytes of stored nodes.
package protocol NodeSource: AnyObject, Sendable {
    /// Calls `body` with the bytes that are stored under a number, or nil if there are none.
    ///
    /// Returns nothing, because calling a generic function through a protocol costs more than finding a node.
    ///
    /// - Throws: errors of reading. `body` does not throw.
    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws

    /// Whether an error of `readNode` says that the node is damaged. After any other, the same read may succeed.
    func saysDamage(_ error: any Error) -> Bool

    /// A source of the same nodes, for one thread that reads many of them at once. It releases the scan afterwards.
    func scan() -> any NodeSource
}

extension NodeSource {
    package func scan() -> any NodeSource { self }
    package func saysDamage(_ error: any Error) -> Bool { true }
}

/// A stored node is damaged. The log is intact, so reopening the store rebuilds the node.
package struct NodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number under which the node is stored.
    package let number: UInt64
    /// A description of the damage: what was expected, what was found.
    package let problem: String

    init(_ number: UInt64, _ problem: String) {
        self.number = number
        self.problem = problem
    }

    package var description: String { "stored node \(number): \(problem)" }
}
