// A program that runs under callgrind: it makes lists, and counts the instructions of single operations on them.
//
// Always holds: every run does exactly the same; only the instructions of the calling thread are counted. No code here
// may need Foundation.

import ListModel
import Listory

@main
enum InstructionProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rowCount = Int(arguments[2]), let eventCount = Int(arguments[3]) else {
            fatalError("usage: instruction-probe prepare|count ROWS EVENTS FOLDER, which Tools/bench does")
        }
        let stored = StoredScenarios(rowCount: rowCount, eventCount: eventCount, folder: arguments[4])
        if arguments[1] == "prepare" { return try stored.prepare() }
        try stored.count()
        try MemoryScenarios.countReplay(eventCount: eventCount)
        var list = try MemoryScenarios(rowCount: rowCount)
        try list.count()
    }
}
