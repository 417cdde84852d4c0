// Where LMDB's fields are in a page. The names are those of its structs, without their prefixes.

/// The offset of a field from the beginning of its page, in bytes.
enum PageOffset {
    // MARK: MDB_page, the header of every page

    static let pgno = 0
    static let flags = 10
    static let lower = 12
    static let upper = 14
    /// How many pages a large value has: in place of `lower` and `upper`.
    static let pages = 12

    // MARK: MDB_meta, behind the header of a meta page

    static let magic = 16
    static let version = 20
    /// The address of the map, if that is fixed.
    static let address = 24
    static let mapsize = 32
    /// The record of the tree of free pages.
    static let freeDB = 40
    /// The page size: the pad of that record.
    static let psize = freeDB + Record.pad
    /// The record of the main tree.
    static let mainDB = 88
    static let lastPg = 136
    static let txnid = 144

    /// `MDB_db`: the offset of a field from the beginning of the record of a tree.
    enum Record {
        static let pad = 0
        static let flags = 4
        static let depth = 6
        static let branchPages = 8
        static let leafPages = 16
        static let overflowPages = 24
        static let entries = 32
        static let root = 40
    }
}
