// Exports what the interface of the store uses, so an app needs to import only `Listory`: the model, with its snapshots,
// versions, changesets and errors, and the types of Foundation that it names.
//
// Not a whole module of Foundation's: with FoundationEssentials exported, some calls in files that import Foundation are
// ambiguous on Linux, and Foundation would be linked to every app.

@_exported import ListModel

#if canImport(FoundationEssentials)
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.UUID
#else
@_exported import struct Foundation.Date
@_exported import struct Foundation.URL
@_exported import struct Foundation.UUID
#endif
