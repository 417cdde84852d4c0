// The quantities that are measured.
//
// Always holds: the raw values are the names in the JSON that a measuring process prints; times are in seconds, sizes
// in bytes.

/// A quantity of a workload.
enum Quantity: String, CodingKeyRepresentable, Codable, Hashable {
    /// The whole workload.
    case seconds
    /// The part of it for the calls from Python, measured with calls that do nothing.
    case overhead
    /// The time without that part.
    case net
    /// The most memory of the process, less its memory at the start.
    case peak
    /// The size on the disk, or of the saved data, when everything is closed.
    case disk
    /// One edit, on average, and the slowest of a hundred.
    case toggle, toggleSlow, insert, insertSlow, move, moveSlow
    /// Taking back one toggle, one move, one key.
    case undo, undoMove
    case checkout, difference
    /// From the start of `main`, and from before the process was spawned, to the first rows.
    case fromMain, fromSpawn
    /// The time when the rows had been read, on the clock that all processes share. Used to compute `fromSpawn`.
    case readyAt
    /// Private memory and the pages of mapped files.
    case memory, mapped
    /// Private memory after reading all rows, with the default memory budget.
    case cached
    case typical, slow, rate
}

/// The measured values of a process.
typealias Values = [Quantity: Double]
