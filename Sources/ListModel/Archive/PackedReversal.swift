// Takes packed commits back.
//
// A block does not store the rows that its events deleted, nor the contents that they replaced: whoever replays the block has them. To go
// back, they are found in the list before the block. The events are followed with pieces of that list (`PieceList`), which know for each row
// where it was at first and what happened to it since. Only the rows that come back are read there.
//
// Always holds: the rows, with the references to their contents, are those of a replay forwards. Nothing is changed before all
// events were followed. As with a replay, the caller finds out whether nodes could not be read: those of the state, and those of the list
// before the block.

/// Takes the last of some packed commits back.
///
/// ```swift
/// var reversal = PackedReversal(from: base, to: version)
/// while reversal.version < state.version { guard try reversal.read(nextBlock(), through: state.version) else { return false } }
/// try reversal.apply(to: &state)
/// ```
package struct PackedReversal: ~Copyable {
    private let base: ListState
    /// The version to go back to.
    private let target: Version
    /// The version after the commits that were read.
    package private(set) var version: Version
    /// The hash of the list at that version; nil if it is not known.
    private var stateHash: StateHash?

    private var events: [PackedEvent] = []
    /// The rows that commits behind the target deleted, or replaced the content of; by the number of the event.
    private var replaced: [Int: [RowPiece]] = [:]
    /// The number of the first event of those commits.
    private var firstReverted: Int?
    /// The sections that events changed, and where in the array each is.
    private var sections: [(rows: PersistentTree<UntypedRow>, pieces: PieceList)] = []
    private var slots: [Int: Int] = [:]
    private let pieceCount: Int
    /// The most events. They are in memory, and the time to follow them grows with their square.
    private static let mostEvents = 65_536

    /// A reversal that has read nothing yet.
    ///
    /// - Parameters:
    ///   - base: the list before the first block.
    ///   - target: the version to go back to.
    ///   - pieceCount: the most pieces of a chunk.
    package init(from base: UntypedSnapshot, to target: Version, pieceCount: Int = 64) {
        self.base = ListState(from: base)
        self.target = target
        self.pieceCount = pieceCount
        version = base.version
        stateHash = base.stateHash
    }

    /// Reads the next block.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - end: the last version to read, of this block or a later one.
    /// - Returns: whether its commits can be taken back. They cannot if the block does not begin after ``version``, if they inserted, deleted,
    ///   moved or renamed sections or replaced the list, or if they are too many.
    /// - Throws: ``RecordError`` for damaged bytes, ``ListError`` for events that do not fit the list.
    /// - Complexity: O(k · (p + k / p)) for k events and p pieces of a chunk. No row is read.
    package mutating func read(_ block: PackedBlock, through end: Version) throws -> Bool {
        guard block.first == version.next, block.eventCount <= PackedReversal.mostEvents - events.count else {
            return false
        }
        version = min(end, block.last)
        stateHash = version == block.last ? block.stateHash : nil
        return try block.forEachEvent(through: version) { commit, event in
            if commit > target && firstReverted == nil { firstReverted = events.count }
            if event.kind == .annotated { return true }
            guard try follow(event) else { return false }
            events.append(event)
            return true
        }
    }

    /// Takes the commits behind the target back.
    ///
    /// - Parameter state: the list at ``version``; afterwards at the target.
    /// - Throws: ``ListError`` if that is another list than the blocks lead to.
    /// - Complexity: O(k log n) for the k rows that the commits name.
    package func apply(to state: inout ListState) throws {
        if let stateHash { try state.checkHash(stateHash) }
        prefetch()
        var pending = EventRun()
        for number in ((firstReverted ?? events.count)..<events.count).reversed() {
            if let inverse = try inverse(ofEvent: number) { try pending.fold(inverse, into: &state) }
        }
        try pending.flush(into: &state)
        state.version = target
    }

    // MARK: Following events

    /// - Returns: whether the event can be taken back.
    private mutating func follow(_ event: PackedEvent) throws -> Bool {
        let (path, number) = (event.path, events.count)
        switch event.kind {
        case .itemsInserted:
            try edit(path, count: 0) {
                $0.insert([RowPiece(source: .event(number), offset: 0, count: event.count)], at: path.item)
            }
        case .itemsDeleted: note(try edit(path, count: event.count) { $0.take(path.item, event.count) })
        case .itemsMoved:
            let rows = try edit(path, count: event.count) { $0.take(path.item, event.count) }
            try edit(event.destination, count: 0) { $0.insert(rows, at: event.destination.item) }
        case .itemUpdated:
            let old = try edit(path, count: 1) { list in
                let old = list.take(path.item, 1)
                var new = old[0]
                new.update = number
                list.insert([new], at: path.item)
                return old
            }
            note(old)
        case .itemToggled: try edit(path, count: 1) { $0.change(path.item, 1) { $0.isToggled.toggle() } }
        case .itemCollapsed: try edit(path, count: 1) { $0.change(path.item, 1) { $0.isCollapseToggled.toggle() } }
        case .itemsIndented:
            try edit(path, count: event.count) { list in
                list.change(path.item, event.count) { $0.depth &+= event.change }
            }
        case .annotated, .sectionInserted, .sectionDeleted, .sectionMoved, .sectionRenamed, .listReloaded: return false
        }
        return true
    }

    /// Remembers what the next event takes away, if the event is to be taken back.
    private mutating func note(_ pieces: [RowPiece]) {
        if firstReverted != nil { replaced[events.count] = pieces }
    }

    /// Calls `body` with the pieces of a section.
    ///
    /// - Parameter count: how many rows there must be from a path on; at the end, none need be.
    private mutating func edit<Result>(
        _ path: ListIndexPath, count: Int, _ body: (inout PieceList) throws -> Result
    ) throws -> Result {
        let slot: Int
        if let known = slots[path.section] {
            slot = known
        } else {
            try base.checkSection(path.section)
            let rows = base.sectionEntry(at: path.section).items(base.pool)
            slot = sections.count
            slots[path.section] = slot
            sections.append((rows, PieceList(section: path.section, count: rows.count, capacity: pieceCount)))
        }
        let rows = sections[slot].pieces.count
        guard path.item >= 0, path.item <= rows, count <= rows - path.item else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<rows)
        }
        return try body(&sections[slot].pieces)
    }

    // MARK: Going back

    /// Reads the nodes of the list at the beginning that are needed, several at a time.
    private func prefetch() {
        base.prefetch(
            replaced.values.joined().compactMap { piece in
                guard case .section(let section) = piece.source else { return nil }
                return ListIndexPath(section: section, item: piece.offset)
            })
    }

    private func inverse(ofEvent number: Int) throws -> PackedEvent? {
        let event = events[number]
        switch event.kind {
        case .itemsInserted: return PackedEvent(.itemsDeleted, event.path, count: event.count)
        case .itemsDeleted:
            var inverse = PackedEvent(.itemsInserted, event.path, count: event.count)
            inverse.rows = ListRun(try rows(of: replaced[number] ?? [])) ?? .none
            return inverse
        case .itemsMoved: return PackedEvent(.itemsMoved, event.destination, to: event.path, count: event.count)
        case .itemUpdated:
            var inverse = PackedEvent(.itemUpdated, event.path)
            inverse.content = try replaced[number]?.first.map { try row(of: $0, 0).content }
            return inverse
        case .itemToggled, .itemCollapsed: return event
        case .itemsIndented:
            var inverse = event
            inverse.change = -event.change
            return inverse
        default: return nil
        }
    }

    private func rows(of pieces: [RowPiece]) throws -> [UntypedRow] {
        try pieces.flatMap { piece in try (0..<piece.count).map { try row(of: piece, $0) } }
    }

    /// A row of a piece, as it was when the piece was taken.
    private func row(of piece: RowPiece, _ index: Int) throws -> UntypedRow {
        var row: UntypedRow
        switch piece.source {
        case .section(let section):
            let place = piece.offset + index
            guard let slot = slots[section] else { preconditionFailure("a piece of a section that was followed") }
            row = sections[slot].rows[place]
        case .event(let number): row = events[number].rows[piece.offset + index]
        }
        if piece.isToggled { row.setChecked(!row.isChecked) }
        if piece.isCollapseToggled { row.setCollapsed(!row.isCollapsed) }
        if piece.depth != 0 {
            guard UntypedRow.depths.contains(row.depth + piece.depth) else {
                throw ListError.depthOutOfRange(row.id, depth: row.depth + piece.depth)
            }
            row.changeDepth(by: piece.depth)
        }
        if let update = piece.update, let content = events[update].content { row.setContent(content) }
        return row
    }
}
