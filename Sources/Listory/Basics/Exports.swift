// Exports the model: the interface of the store uses its snapshots, versions, changesets and errors, so an app needs to
// import only `Listory`.

@_exported import ListModel
