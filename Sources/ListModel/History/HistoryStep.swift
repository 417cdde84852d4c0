// The revisions of one undo step.
//
// Not a `Run`, because copying and destroying a generic value looks at its type, and every undo passes a step on
// several times. A step of one commit, as most are, needs no array.

/// The revisions that one undo reverts, or one redo repeats.
struct HistoryStep: RandomAccessCollection, Sendable {
    /// The revision of a step that has one.
    private let single: HistoryRevision?
    /// The revisions of any other step.
    private let nodes: [HistoryRevision]

    /// A step of one commit.
    init(_ node: HistoryRevision) { (single, nodes) = (node, []) }

    /// A step of several commits, or of none.
    init(_ nodes: [HistoryRevision]) { (single, self.nodes) = (nil, nodes) }

    /// A step without commits.
    static var none: HistoryStep { HistoryStep([]) }

    var startIndex: Int { 0 }
    var endIndex: Int { single == nil ? nodes.count : 1 }

    subscript(position: Int) -> HistoryRevision {
        guard let single else { return nodes[position] }
        precondition(position == 0, "index outside the step")
        return single
    }

    /// The same revisions, the last one first.
    var backwards: HistoryStep { single == nil ? HistoryStep(nodes.reversed()) : self }

    /// The versions that the commits made.
    var versions: ListRun<Version> { single.map { .one($0.version) } ?? .many(nodes.map(\.version)) }

    /// Calls `body` with each revision. An iterator would copy each of them.
    @inline(__always)
    func forEach(_ body: (HistoryRevision) throws -> Void) rethrows {
        if let single { return try body(single) }
        for node in nodes { try body(node) }
    }
}
