// Prints the result of a complete check of a store.
//
// Always holds: a fault is reported in both formats; the exit code says which kind it is.

import Listory

/// The outcome of a check.
public enum VerificationReport {
    /// The report of a store without a fault.
    public static func text(_ found: StoreVerification) -> String {
        "sound: version \(found.version), \(found.commitCount) commits, \(found.eventCount) events, "
            + "\(found.checkpointCount) checkpoints with \(found.nodeCount) nodes, hash \(found.stateHash)\n"
    }

    /// The outcome as one line of JSON.
    ///
    /// - Parameter survey: what can be salvaged of a damaged store.
    public static func json(
        _ outcome: Result<StoreVerification, any Error>, _ survey: SalvageReport? = nil
    ) -> [UInt8] {
        JSONWriter.line { writer in
            switch outcome {
            case .success(let found):
                writer.member("sound", true)
                writer.member("version", found.version.rawValue)
                writer.member("commits", found.commitCount)
                writer.member("events", found.eventCount)
                writer.member("checkpoints", found.checkpointCount)
                writer.member("nodes", found.nodeCount)
                if found.nameCount > 0 { writer.member("names", found.nameCount) }
                writer.member("hash", found.stateHash.description)
            case .failure(let error):
                writer.member("sound", false)
                writer.writeError(error)
                if let survey {
                    writer.key("salvage")
                    writer.write(survey)
                }
            }
        }
    }
}
