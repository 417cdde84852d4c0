// Prints the stored states of projections. Always holds: they are in the order of their names.

import ListModel
import Listory

/// Prints projections.
public struct ProjectionReport {
    private let projections: [StoredProjection]

    /// A report on projections.
    public init(_ projections: [StoredProjection]) { self.projections = projections }

    /// A line for each projection.
    public func text() -> String {
        if projections.isEmpty { return "no projections\n" }
        return projections.map { found in
            let beginning = found.beginning == .empty ? "" : ", since version \(found.beginning)"
            return "\(found.name.shown)  rules \(found.rules), folded to version \(found.version)\(beginning), "
                + "\(found.byteCount) bytes\n"
        }.joined()
    }

    /// Each projection as a line of JSON.
    public func json() -> [UInt8] {
        projections.flatMap { found in
            JSONWriter.line { writer in
                writer.member("name", found.name)
                writer.member("rules", found.rules)
                writer.member("version", found.version.rawValue)
                writer.member("beginning", found.beginning.rawValue)
                writer.member("bytes", found.byteCount)
            }
        }
    }
}
