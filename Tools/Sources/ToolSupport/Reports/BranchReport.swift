// Prints the branches of the history.
//
// Always holds: the current branch is first, then the others, the most recently left first.

import ListModel
import Listory

/// Prints branches.
public struct BranchReport {
    private let branches: [HistoryBranch]
    /// The commit whose rows the list has.
    private let position: Version

    /// A report on the branches of a store.
    ///
    /// - Parameters:
    ///   - origin: the origin of the history, if the store was opened with `undoScope = .origin`.
    ///   - limit: how many branches at most; nil for all.
    public init(_ store: UntypedStore, origin: String = "", limit: Int? = nil) throws {
        position = try store.history(of: origin).position
        branches = Array(try store.branches(origin: origin, limit: limit ?? .max).prefix(limit ?? .max))
    }

    /// A line for each branch; the current one has a star.
    public func text(_ style: TerminalStyle) -> String {
        branches.map { branch in
            let origin = branch.origin.isEmpty ? "" : " by \(branch.origin.shown)"
            let steps = branch.stepCount == 1 ? "1 step" : "\(branch.stepCount) steps"
            var line = "\(branch.isCurrent ? "*" : " ") \(style.bold("version \(branch.tip)"))  \(branch.time.text)  "
            line += "\"\(branch.name.shown)\"\(origin)  \(steps)"
            if !branch.isCurrent { line += ", from version \(branch.fork)" }
            if branch.isCurrent && position != branch.tip { line += ", now at version \(position)" }
            return line + "\n"
        }.joined()
    }

    /// A branch as a line of JSON.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        for branch in branches {
            writer.write(branch, position: position)
            writer.endLine()
        }
        return writer.bytes
    }

    /// All branches as the value of a member.
    func write(_ writer: inout JSONWriter) {
        writer.array { writer in
            for branch in branches { writer.write(branch, position: position) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ branch: HistoryBranch, position: Version) {
        object { writer in
            writer.member("tip", branch.tip.rawValue)
            writer.member("name", branch.name)
            writer.member("origin", branch.origin)
            writer.member("time", branch.time.text)
            writer.member("steps", branch.stepCount)
            writer.member("fork", branch.fork.rawValue)
            writer.member("current", branch.isCurrent)
            if branch.isCurrent { writer.member("position", position.rawValue) }
        }
    }
}
