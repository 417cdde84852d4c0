// The interface of the store names snapshots, versions, changesets and errors of the model: an app imports `Listory` alone.

@_exported import ListModel
