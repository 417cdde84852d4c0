// Errors as text and as JSON.
//
// Always holds: a diagnostic is one line on standard error: a text after the name of the tool, or JSON if the command was
// asked for JSON.

import LMDB
import ListModel
import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text and the code of an error.
public enum Diagnostic {
    /// The line about an error; nil if nothing is to be printed.
    public static func line(_ error: any Error) -> String? {
        let text = text(error)
        return text.isEmpty ? nil : line(text)
    }

    /// A text as a diagnostic of one line.
    public static func line(_ text: String) -> String {
        "listory: " + text.split(whereSeparator: \.isNewline).joined(separator: " ").visible + "\n"
    }

    /// The error as a sentence.
    public static func text(_ error: any Error) -> String {
        switch error {
        case let error as DamagedStore: "\(text(error.cause)); \(error.survey.summary)"
        // It may quote a name that a stranger has chosen.
        case let error as ListError: error.description.visible
        case is ToolError, is LMDBError, is RecordError, is RequestError, is ImportError,
            is VersionNameError:
            String(describing: error)
        default: (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        }
    }

    /// A stable name of the kind of error, for programs.
    public static func code(_ error: any Error) -> String {
        switch error {
        case let error as DamagedStore: code(error.cause)
        case ListError.failed(let cause): code(cause)
        case let error as ListError: error.code
        case let error as RequestError: error.code.rawValue
        case let error as ToolError: error.code
        case is ImportError: "invalidInput"
        case is VersionNameError: "usage"
        case is RecordError: "damagedRecord"
        case is LMDBError: ExitStatus(error) == .damaged ? "damagedFile" : "fileError"
        default: "error"
        }
    }
}

extension SalvageReport {
    /// What is lost and what salvage saves, in half a sentence.
    var summary: String {
        if isComplete { return "no commit is lost: listory repair rebuilds the rest" }
        let others = parts.dropFirst().reduce(0) { $0 + $1.commitCount }
        let kept = parts.first.map { "\($0.commitCount) commits up to version \($0.version)" } ?? "no commit"
        return "\(lostCommitCount) commits are lost, listory salvage saves \(kept) and \(others) in other files, "
            + "\(itemCount - unreadableCount) rows and \(leftoverCount) that are left over"
    }
}

extension JSONWriter {
    /// Writes the member `error`.
    public mutating func writeError(_ error: any Error) {
        key("error")
        object { writer in
            writer.member("code", Diagnostic.code(error))
            writer.member("message", Diagnostic.text(error))
            writer.member("status", ExitStatus(error).rawValue)
            if case ListError.conflicts(let conflicts) = error { writer.writeConflicts(conflicts) }
        }
    }

    /// Writes the member `conflicts`, unless there are none.
    mutating func writeConflicts(_ conflicts: [MergeConflict]) {
        if conflicts.isEmpty { return }
        key("conflicts")
        array { writer in
            for conflict in conflicts {
                writer.object { writer in
                    switch conflict.subject {
                    case .item(let id):
                        writer.key("item")
                        writer.write(id)
                    case .section(let id):
                        writer.key("section")
                        writer.write(id)
                    }
                    writer.member("reason", conflict.reason.rawValue)
                }
            }
        }
    }
}
