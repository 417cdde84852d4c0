// A program that is run by callgrind: makes lists, and counts the instructions of single operations on them.
//
// Always holds: every run does the same, to the byte; what is counted is what the calling thread does. Nothing here may
// need Foundation.

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
