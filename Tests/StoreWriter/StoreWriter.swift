// A process that writes to a store until it is killed, for the tests of recovery.
//
// It prints one line for each commit, `version hash`, after the commit is durable; with `early`, as a control that the
// test must catch, before it is. With `checkpoints` it takes one every few commits, of narrow nodes and in small slices, so
// that most kills come in the midst of one. With `idle` it opens the store for editing, closes it and says so. With `probe`
// it uses damaged stores instead (see StoreProbe).

import Listory
import ListModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum StoreWriter {
    static func main() throws {
        let path = CommandLine.arguments[1]
        if path.hasPrefix("probe") {
            return StoreProbe.run(Array(CommandLine.arguments.dropFirst(2)), isChecked: path == "probe")
        }
        let acknowledgesEarly = CommandLine.arguments.contains("early")
        var options = StoreOptions()
        if CommandLine.arguments.contains("checkpoints") {
            options.checkpoints.interval = 8
            options.checkpoints.nodeWeight = 0
            options.checkpoints.maximumSpacing = 32
            options.checkpoints.sliceSize = 64
            options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
        }
        let store = try Store.open(at: path, options: options)
        if CommandLine.arguments.contains("idle") {
            try store.close()
            print("closed")
            return
        }
        var counter = try store.version.rawValue
        while true {
            counter += 1
            let commit = try store.edit("write \(counter)", durability: .deferred) { list in
                try change(&list, counter)
            }
            guard let commit else { continue }
            if !acknowledgesEarly { try store.waitUntilDurable(commit.version) }
            print(commit.version, commit.stateHash)
            fflush(nil)
        }
    }

    /// Several events that belong together: a row comes, another one goes, and the first row says how many there were.
    private static func change(_ list: inout ListEditor, _ counter: UInt64) throws {
        if list.state.sectionCount == 0 {
            try list.insertSection(NewSection(id: "rows", title: "Rows"))
            try list.insert(NewItem(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
        try list.update("counter", content: Array("\(counter)".utf8))
        let item = NewItem(id: .integer(Int64(counter)), content: Array("row \(counter)".utf8))
        try list.insert(item, at: .end(ofSection: "rows"))
        try list.toggle(.item(.integer(Int64(counter))))
        if list.state.itemCount > 40 { try list.delete(.at(ListIndexPath(section: 0, item: 1))) }
    }
}
