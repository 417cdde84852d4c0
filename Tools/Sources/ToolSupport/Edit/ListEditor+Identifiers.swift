// The ids of new rows and sections.
//
// Always holds: they are of the kind that the others have, or that the store accepts.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ListModel
import Listory

extension ListEditor {
    /// An id that no row has had.
    func freshID(of kind: UntypedID.Kind) throws -> UntypedID {
        switch kind {
        case .uuid: return .uuid(UUID())
        case .string: return .string(UUID().uuidString)
        case .integer:
            var fresh = FreshIdentifiers(rows, of: store)
            return try fresh.next()
        }
    }

    /// An id that no section has: for a string the title, if that is none.
    func freshSectionID(_ title: String, of kind: UntypedID.Kind) -> UntypedID {
        switch kind {
        case .uuid: return .uuid(UUID())
        case .string: return .string(rows.sections.contains { $0.id == .string(title) } ? UUID().uuidString : title)
        case .integer:
            let last = rows.sections.reduce(0 as Int64) { if case .integer(let id) = $1.id { max($0, id) } else { $0 } }
            if last < .max { return .integer(last + 1) }
            let used = Set(rows.sections.map(\.id))
            return (1...).lazy.map { UntypedID.integer($0) }.first { !used.contains($0) }!
        }
    }
}
