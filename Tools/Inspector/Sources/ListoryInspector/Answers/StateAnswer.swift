// What the store is now.
//
// Always holds: the answer does not grow with the list or the log; what is in a commit that cannot be read is null.

import Foundation
import ListModel
import Listory
import ToolSupport

extension InspectedStore {
    /// The most branches that are told.
    static let branchCount = 100

    /// `/api/state`.
    ///
    /// - Parameter token: what a request to write has to have.
    func state(_ token: String, _ writer: inout JSONWriter) throws {
        // Read before the rows: otherwise a page could get the new count with the old rows.
        let replacementCount = store.replacementCount
        let snapshot = try store.snapshot
        let undo = try sound { try store.undoState() }.value
        writer.member("path", store.path)
        writer.member("name", URL(filePath: store.path).lastPathComponent)
        writer.member("version", snapshot.version.rawValue)
        writer.member("replacements", replacementCount)
        writer.member("oldest", store.oldestVersion.rawValue)
        writer.member("position", try store.history.position.rawValue)
        writer.key("time")
        let found = snapshot.version > store.oldestVersion ? try sound { try time(of: snapshot.version) } : nil
        if let time = found?.value { writer.write(time.text) } else { writer.writeNull() }
        writer.member("hash", snapshot.stateHash.description)
        writer.member("rows", snapshot.itemCount)
        writer.member("sections", snapshot.sectionCount)
        for (name, step) in [("undo", undo?.undo), ("redo", undo?.redo)] {
            writer.key(name)
            guard let step else {
                writer.writeNull()
                continue
            }
            writer.object { writer in
                writer.member("name", step.name)
                writer.member("version", step.version.rawValue)
            }
        }
        try writeBranches(&writer)
        writer.member("canWrite", allowsWriting)
        if allowsWriting { writer.member("token", token) }
        for (name, texts) in [("kinds", ListEvent.kindNames), ("causes", LogFilter.causeNames)] {
            writer.key(name)
            writer.write(.array(texts.map { .string($0) }))
        }
    }

    /// Writes the member `branches`.
    func writeBranches(_ writer: inout JSONWriter) throws {
        writer.key("branches")
        let branches = try sound { try BranchReport(store, limit: Self.branchCount).json() }
        if let branches = branches.value { writer.write(lines: branches) } else { writer.writeNull() }
    }
}

extension JSONWriter {
    /// Writes the members of the object of a line.
    mutating func writeMembers(ofLine line: [UInt8]) { write(json: line.dropFirst().dropLast(2)) }

    /// Writes lines of JSON as an array.
    mutating func write(lines: [UInt8]) {
        array { writer in
            for line in lines.split(separator: UInt8(ascii: "\n")) { writer.write(json: line) }
        }
    }
}
