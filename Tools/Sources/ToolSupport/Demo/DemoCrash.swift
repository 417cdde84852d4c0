// The part of the demo with kills: a child process writes as fast as possible, until SIGKILL.
//
// Always holds: a commit counts as acknowledged only if its line had arrived here before the kill.

import ListModel
import Listory

/// Kills a writer and checks the store that it left.
struct DemoCrash {
    let path: String
    let style: TerminalStyle
    let print: (String) -> Void

    /// Lets a child write for a moment, kills it, and recovers the store.
    ///
    /// - Parameters:
    ///   - round: the number of the round; each lasts a little longer.
    ///   - command: the child's command line.
    func run(round: Int, command: [String]) throws {
        let (child, output) = try start(command)
        let first = try output.read()
        pause(for: .milliseconds(150 * round + .random(in: 0...50)))
        child.kill()
        _ = child.wait()
        try recover(Acknowledgements(first + output.readToEnd()))
    }

    /// Starts the child, and returns the end of the pipe into which it prints. Only the child has the other end.
    private func start(_ command: [String]) throws -> (ChildProcess, OpenFile) {
        let (reader, writer) = try OpenFile.pipe()
        // A backtracer would outlive the child and hold the pipe.
        let variables = ["SWIFT_BACKTRACE": "enable=no"]
        return (try ChildProcess(command, variables: variables, output: writer.descriptor), reader)
    }

    private func recover(_ acknowledged: Acknowledgements) throws {
        let store = try UntypedStore.open(at: path)
        defer { try? store.close() }
        var lost = 0
        for (version, hash) in acknowledged.commits {
            let isThere = try version <= store.version && store.commit(version).stateHash.description == hash
            if !isThere { lost += 1 }
        }
        let milliseconds = store.recovery.duration / .milliseconds(1)
        let verdict = lost == 0 ? style.green("none lost") : style.red("\(lost) lost")
        print(
            "  killed after \(acknowledged.commits.count) acknowledged commits: \(verdict); "
                + "recovered \(store.recovery.commitCount) commits in \(Int(milliseconds.rounded(.up))) ms, "
                + "undo goes \(try store.history.undoCount) steps back")
    }
}

/// The complete lines that a writer printed: a version and the hash of its rows.
private struct Acknowledgements {
    let commits: [(version: Version, hash: String)]

    init(_ printed: [UInt8]) {
        let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        commits = lines.dropLast().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let number = UInt64(words[0]) else { return nil }
            return (Version(number), String(words[1]))
        }
    }
}

/// The child of the demo: writes to a store until it is killed, and acknowledges what is durable.
public enum DemoWriter {
    /// Writes commits of several events, each acknowledged by a line when it is durable.
    public static func run(path: String) throws -> Never {
        let store = try UntypedStore.open(at: path)
        var number = try store.version.rawValue
        let section = try store.snapshot.sections[0].id
        while true {
            number += 1
            let commit = try store.edit("Burst \(number)", origin: "child") { list in
                let content = Array(#"{"title":"written in a burst"}"#.utf8)
                let id = UntypedID.string("burst \(number)")
                try list.insert(NewRow(id: id, content: content), at: .end(ofSection: section))
                try list.toggle(.item(id))
                try list.delete(.item(id))
                try list.toggle(.at(ListIndexPath(section: 0, item: 0)))
            }
            if let commit { try Standard.output.write(Array("\(commit.version) \(commit.stateHash)\n".utf8)) }
        }
    }
}
