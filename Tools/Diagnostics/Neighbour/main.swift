// A process that deletes the row 1 of a store, and then ends.
//
//     Neighbour STORE close    closes the store before
//     Neighbour STORE die      does not: deletes the row 2 as well, and leaves that commit in the journal

import Foundation

@testable import Listory

var options = StoreOptions()
options.journal.storeDelay = .seconds(3_600)
let store = try UntypedStore.open(at: CommandLine.arguments[1], options: options)
try store.edit("Delete") { try $0.delete(.items([1])) }
if CommandLine.arguments[2] == "close" {
    try store.close()
} else {
    // The first commit after an opening goes into the database, the second one into the journal.
    try store.edit("Delete") { try $0.delete(.items([2])) }
}
_exit(0)
