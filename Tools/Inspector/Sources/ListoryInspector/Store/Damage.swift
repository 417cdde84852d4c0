// What is shown of a damaged store: everything that is sound, and in the place of the rest, why it is missing.
//
// Always holds: only damage is shown; an error that may be gone the next time is thrown.

import ListModel
import Listory
import ToolSupport

/// What `body` returns, or the damage that it has met.
///
/// - Throws: any other error.
func sound<Value>(_ body: () throws -> Value) throws -> Result<Value, any Error> {
    do { return .success(try body()) } catch {
        guard ListError.saysDamage(error) else { throw error }
        return .failure(error)
    }
}

extension Result {
    /// What was read; nil if it is damaged.
    var value: Success? { if case .success(let value) = self { value } else { nil } }
}

extension UntypedSnapshot {
    /// Calls `body`, which shows rows. Those of a damaged node are shown as rows that cannot be read.
    ///
    /// - Throws: an error of reading that may be gone the next time, and what `body` throws.
    func showing<Value>(_ body: () throws -> Value) throws -> Value {
        var shown: Value?
        switch try sound({ try reading { shown = try body() } }) {
        case .success: return shown!
        case .failure(let damage):
            guard let shown else { throw damage }
            return shown
        }
    }
}

/// The contents of another source, and in the place of one that is damaged an object that says why.
struct ShownSource: CommitSource {
    let source: any CommitSource

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try source.readRecord(of: version, body)
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch try sound({ try source.content(of: reference) }) {
        case .success(let content): try content.withUnsafeBytes(body)
        case .failure(let damage):
            try JSONValue.object(["$unreadable": .string(Diagnostic.text(damage))]).bytes.withUnsafeBytes(body)
        }
    }
}

extension InspectedStore {
    /// Where a row is in a version; nil if it is not there.
    ///
    /// - Throws: the damage, if the row may be one of those that cannot be read.
    /// - Complexity: O(log n) in the newest version; else O(n), and also if some of its rows cannot be read.
    func path(of id: IdentifierText, in snapshot: UntypedSnapshot) throws -> ListIndexPath? {
        switch try sound({ try snapshot.reading { try id.path(in: snapshot, of: store) } }) {
        case .success(let path): return path
        case .failure(let damage):
            // The index is no help: it leads through what cannot be read.
            let path = try snapshot.showing { id.first { snapshot.indexPath(of: $0) } }
            guard let path else { throw damage }
            return path
        }
    }
}

extension JSONWriter {
    /// Writes the member `unreadable`: why something cannot be read.
    mutating func write(damage: any Error) { member("unreadable", Diagnostic.text(damage)) }
}
