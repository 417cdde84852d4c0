// Where stored nodes lie: a database, or a test's dictionary.
//
// Always holds: what is stored under a number never changes while anybody may ask for it.

/// Gives back the bytes of stored nodes.
package protocol NodeSource: AnyObject, Sendable {
    /// Calls `body` with the bytes that are stored under a number, or nil if there are none.
    ///
    /// Gives nothing back, because a generic function that is called through a protocol costs more than finding a node.
    ///
    /// - Throws: what reading throws. `body` does not throw.
    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws

    /// The same nodes for one thread that reads many of them now, and lets go of the scan then.
    func scan() -> any NodeSource
}

extension NodeSource {
    package func scan() -> any NodeSource { self }
}

/// A stored node that cannot be what it should be. The log is whole, so reopening the store makes it anew.
package struct NodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number under which the node is stored.
    package let number: UInt64
    /// What is wrong: what was expected, what was found.
    package let problem: String

    init(_ number: UInt64, _ problem: String) {
        self.number = number
        self.problem = problem
    }

    package var description: String { "stored node \(number): \(problem)" }
}
