// The one error type of the binding.
//
// Always holds: `call` names the operation that failed, `kind` can be used in a `switch`, and a code of LMDB or the
// operating system keeps its number, even if this version does not know it.

/// What went wrong in a call on an LMDB environment, transaction, database or file.
///
/// ```swift
/// do {
///     try environment.write { txn in try txn.put(value, forKey: 7, in: events) }
/// } catch let error as LMDBError {
///     switch error.kind {
///     case .mapFull(let size, let maximum): report("full: \(size) of \(maximum) bytes")
///     case .resizeBlocked(let live): report("\(live) transactions kept the map from growing")
///     default: report(error.description)
///     }
/// }
/// ```
public struct LMDBError: Error, Equatable, Sendable {
    /// The operation that failed: a C function such as `"mdb_put"` or a method of this binding.
    public let call: String

    /// What went wrong, with the numbers that belong to it.
    public let kind: Kind

    /// Where it went wrong, or anything else that helps the reader; `nil` when `kind` says it all.
    public let detail: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - call: The operation that failed.
    ///   - detail: More about it, in plain words.
    public init(_ kind: Kind, in call: String, detail: String? = nil) {
        self.call = call
        self.kind = kind
        self.detail = detail
    }

    /// Makes an error from a code returned by LMDB or by the operating system.
    package init(code: Int32, in call: String, detail: String? = nil) {
        self.init(.engine(Code(rawValue: code)), in: call, detail: detail)
    }

    /// The code of LMDB or the operating system; `nil` if the binding refused before any call and no code of LMDB has
    /// the same meaning.
    public var code: Code? {
        switch kind {
        case .engine(let code): code
        case .mapFull: .mapFull
        case .keyEmpty, .keyTooLong: .badValueSize
        case .keyOutOfOrder: .keyExists
        case .targetExists: .fileExists
        default: nil
        }
    }

    /// One sentence about what went wrong: LMDB's own text for a code, the binding's for the rest.
    public var message: String { kind.message }
}

extension LMDBError: CustomStringConvertible {
    /// The call, the message and the detail, for people.
    public var description: String {
        guard let detail else { return "\(call): \(message)" }
        return "\(call): \(message) (\(detail))"
    }
}
