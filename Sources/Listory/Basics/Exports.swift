// Exports what the interface of the store uses, so an app needs to import only `Listory`: the model, with its snapshots,
// versions, changesets and errors, and the part of Foundation that has dates, URLs and UUIDs. Without the latter, even
// `store.snapshot(at: .now - 300)` would be an error, and one that does not name what is missing.

@_exported import ListModel

#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif
