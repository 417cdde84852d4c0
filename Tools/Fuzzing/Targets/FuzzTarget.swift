// The functions that read what a stranger may have written. libFuzzer calls them with inputs that it makes
// (`Tools/fuzz`), and the tests call them with the inputs that were kept.
//
// Always holds: a function returns or throws for every input, and keeps nothing from one call to the next. What it
// throws is a defect: a typed error is an answer, and is not passed on.

/// A reader of data from outside, which must survive every input.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Records of a log: decoded, replayed, edited and undone.
    case records
    /// A checkpoint, its locators, nodes and chunks: read, looked up and edited.
    case nodes
    /// A packed block: replayed, unpacked, searched for contents.
    case blocks
    /// A store whose file was changed: opened, read, edited, verified.
    case store
    /// Inputs of `listory import`, in every format.
    case imports
    /// Logs that `listory import --format log` makes a store of.
    case logs
    /// Requests of `listory exec`.
    case exec

    /// Reads an input.
    ///
    /// - Throws: an error that no reader may throw, or ``BrokenPromise``.
    public func run(_ input: [UInt8]) throws {
        switch self {
        case .records: try RecordTarget.run(input)
        case .nodes: try NodeTarget.run(input)
        case .blocks: try BlockTarget.run(input)
        case .store: try StoreTarget.run(input)
        case .imports: try ImportTarget.run(input)
        case .logs: try LogTarget.run(input)
        case .exec: try ExecTarget.run(input)
        }
    }

    /// Valid inputs, from which fuzzing begins.
    public func seeds() throws -> [[UInt8]] {
        switch self {
        case .records: try RecordTarget.seeds()
        case .nodes: try NodeTarget.seeds()
        case .blocks: try BlockTarget.seeds()
        case .store: StoreTarget.seeds()
        case .imports: ImportTarget.seeds()
        case .logs: try LogTarget.seeds()
        case .exec: ExecTarget.seeds()
        }
    }
}

/// A reader accepted an input and gave a wrong result.
public struct BrokenPromise: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static func check(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw BrokenPromise(description()) }
    }
}

/// Takes an input apart. After its end there are only zeros.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// The next bytes, at most as many as there are.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next bytes after their length.
    mutating func piece() -> [UInt8] { bytes(word()) }

    /// Bytes that ``piece()`` reads.
    static func piece(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 1 << 16, "a piece of a seed is short")
        return [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes
    }
}
