// What is measured.
//
// Always holds: the raw values are the names in the JSON that a measuring process prints; times are in seconds, sizes
// in bytes.

/// A quantity of a workload.
enum Quantity: String, CodingKeyRepresentable, Codable, Hashable {
    /// All of the workload, as a caller sees it.
    case seconds
    /// What of that the calls from Python took, measured with calls that do nothing.
    case overhead
    /// What is left without it.
    case net
    /// The most memory that the process had, without what it had at its start.
    case peak
    /// What is on the disk, or would be, when everything is closed.
    case disk
    /// One edit, on average, and the slowest of a hundred.
    case toggle, toggleSlow, insert, insertSlow, move, moveSlow
    /// Taking back one toggle, one move, one key.
    case undo, undoMove
    case checkout, difference
    /// From the start of `main`, and from before the process was spawned, to the first rows.
    case fromMain, fromSpawn
    /// When the rows were there, on the clock that all processes share. Used to compute `fromSpawn`.
    case readyAt
    /// Private memory and the pages of mapped files.
    case memory, mapped
    /// Private memory when all rows were looked at, of which only so many stay as a store keeps by default.
    case cached
    case typical, slow, rate
}

/// What a process measured.
typealias Values = [Quantity: Double]
