// The state from which packing and unpacking both predict the next value of a block.
//
// Always holds: it depends only on earlier values of the block, never on the state of the list, so a block can be
// searched without a state. Arithmetic wraps, because damaged bytes may contain any number.

/// Predicts values of a packed block from those before them.
struct PackingContext {
    /// The first version of the block.
    let first: Version
    /// The marks of the commits of the block, in its order.
    var entries: [HistoryEntry] = []
    /// The histories of the scopes that had a commit in the block.
    var histories = HistoryTable()

    // Commits.
    var cause: Int64 = 0
    var flags: Int64 = 0
    var time: Int64 = 0
    var contentCount: Int64 = 0
    var contentStart: Int64 = 0
    /// How many contents the present commit still has.
    var remainingContents = 0

    // Events: where the next is likely to happen, and of which kind.
    var section: Int64 = 0
    var row: Int64 = 0
    private var deletesForward = false
    private var kindWithContents = Int64(EventKind.itemsInserted.rawValue)
    private var kindWithoutContents = Int64(EventKind.itemsDeleted.rawValue)
    var annotations = AnnotationContext()

    // Parts of events.
    var identifierKind: Int64 = 0
    var integer: Int64 = 0
    var referenceVersion: Int64
    var referenceOffset: Int64 = 0
    var referenceLength: Int64 = 0

    init(first: Version) {
        self.first = first
        referenceVersion = Int64(first.rawValue)
    }

    /// The version that the next commit makes.
    var version: Version { Version(first.rawValue &+ UInt64(entries.count)) }
}

// MARK: - Events

extension PackingContext {
    /// The predicted kind of the next event: an annotation if one is due; otherwise the kind of the last event with the
    /// same answer to whether contents remain.
    var predictedKind: Int64 {
        if annotations.isDue { return Int64(EventKind.annotated.rawValue) }
        return remainingContents > 0 ? kindWithContents : kindWithoutContents
    }

    /// Adds the kind of an event, before its contents.
    mutating func note(_ kind: Int64) {
        // An annotation is added with its name.
        if kind == Int64(EventKind.annotated.rawValue) { return }
        annotations.noteOther()
        if remainingContents > 0 { kindWithContents = kind } else { kindWithoutContents = kind }
    }

    /// The tag of the next content: inline or a reference, without a checkmark.
    var predictedTag: Int64 { remainingContents > 0 ? 0 : 2 }

    /// The predicted place of deleting `count` rows: before the last place, as with the backspace key, or at it.
    func predictedDeletion(_ count: Int) -> Int64 { deletesForward ? row : row &- Int64(count) }

    /// Adds a deletion of `count` rows.
    mutating func noteDeletion(_ path: ListIndexPath, _ count: Int) {
        if Int64(path.item) == row {
            deletesForward = true
        } else if Int64(path.item) == row &- Int64(count) {
            deletesForward = false
        }
        noteCursor(path.section, path.item)
    }

    /// Sets the probable place of the next event.
    mutating func noteCursor(_ section: Int, _ row: Int) {
        self.section = Int64(section)
        self.row = Int64(row)
    }

    /// Adds a reference.
    mutating func note(_ reference: ContentReference) {
        referenceVersion = Int64(reference.version.rawValue)
        referenceOffset = Int64(reference.offset)
        referenceLength = Int64(reference.length)
    }
}
