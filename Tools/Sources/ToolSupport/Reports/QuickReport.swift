// Prints the result of a quick check. Always holds: a fault is reported in both formats.

import Listory

/// The outcome of a quick check.
public enum QuickReport {
    /// The outcome as one line of JSON.
    public static func json(_ outcome: Result<QuickCheck, any Error>) -> [UInt8] {
        JSONWriter.line { writer in
            switch outcome {
            case .success(let found):
                writer.member("opens", true)
                writer.member("version", found.version.rawValue)
                writer.member("rows", found.itemCount)
                writer.member("rebuilt", found.wasRebuilt)
            case .failure(let error):
                writer.member("opens", false)
                writer.writeError(error)
            }
        }
    }
}

extension QuickCheck {
    /// The result as text.
    public var text: String {
        let note = wasRebuilt ? "; its checkpoints are damaged: repair rebuilds them" : ""
        return "opens: version \(version), \(itemCount) rows\(note)\n"
    }
}
