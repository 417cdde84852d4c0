// All contenders. Always holds: the raw values are the names in the Python script.

/// A library that stores a list.
enum Contender: String, Sendable {
    case listory
    case listoryAtOnce = "listory-at-once"
    case lmdb
    case sqliteFractional = "sqlite-fractional"
    case sqlitePlain = "sqlite-plain"
    case array
    case difference
    case loroList = "loro-list"
    case loroText = "loro-text"
    case loroMovableList = "loro-movable-list"
    case pycrdtArray = "pycrdt-array"
    case pycrdtText = "pycrdt-text"

    /// The name for people.
    var title: String {
        switch self {
        case .listory: "Listory"
        case .listoryAtOnce: "Listory, one commit"
        case .lmdb: "LMDB from C"
        case .sqliteFractional: "SQLite, fractional position"
        case .sqlitePlain: "SQLite, fractional, no undo"
        case .array: "Swift array"
        case .difference: "difference(from:)"
        case .loroList: "Loro List, from Python"
        case .loroText: "Loro Text, from Python"
        case .loroMovableList: "Loro MovableList, from Python"
        case .pycrdtArray: "pycrdt Array, from Python"
        case .pycrdtText: "pycrdt Text, from Python"
        }
    }

    /// Whether it is the library.
    var isOurs: Bool { self == .listory || self == .listoryAtOnce }

    /// Whether the Python script measures it.
    var isPython: Bool { rawValue.hasPrefix("loro") || rawValue.hasPrefix("pycrdt") }

    /// Those that keep rows on a disk.
    static let stores: [Contender] = [.listory, .lmdb, .sqliteFractional, .sqlitePlain]
    /// Those in other languages that keep sequences in memory.
    static let sequences: [Contender] = [.loroList, .loroMovableList, .loroText, .pycrdtArray, .pycrdtText]
}
