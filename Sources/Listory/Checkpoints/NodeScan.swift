// Many nodes read one after another: a read transaction for some hundreds of them.
//
// A transaction for each would be a fifth of the time that two versions take to be compared: it is begun, finds the database
// anew, and is ended.
//
// Always holds: a transaction is begun only while the scan has no other, and serves no more than `limit` nodes, so that it
// does not keep the file's map from growing, nor pages from being used again, for longer than a millisecond or two.

import LMDB
import ListModel

/// Reads the nodes of a file for one thread.
///
/// `@unchecked Sendable`: a comparison makes it, uses it and lets go of it, on one thread.
final class NodeScan: NodeSource, @unchecked Sendable {
    private static let limit = 512

    private let environment: Environment
    private let nodes: Database<UInt64, [UInt8]>
    private var transaction: ReadTransaction?
    /// How many nodes the transaction may still serve.
    private var left = 0

    init(_ environment: Environment, _ nodes: Database<UInt64, [UInt8]>) {
        self.environment = environment
        self.nodes = nodes
    }

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        if left == 0 {
            transaction = nil
            transaction = try environment.beginRead()
            left = NodeScan.limit
        }
        left -= 1
        // SAFETY: there is a transaction as long as it may serve nodes.
        try transaction!.withValue(forKey: number, in: nodes) { body($0) }
    }
}
