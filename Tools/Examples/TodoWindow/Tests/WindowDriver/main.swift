// Runs a window on the given display, and drives it: `WindowDriver SCENARIO FOLDER [SEED] [STEPS]`.
//
// Always holds: it ends with 0 if all checks succeed, otherwise with 1 and a sentence about the failed check.

import CListRows
import Foundation
import TestSupport

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fatalError("WindowDriver SCENARIO FOLDER [SEED] [STEPS]") }
let seed = arguments.count > 3 ? UInt64(arguments[3])! : 1
let steps = arguments.count > 4 ? Int(arguments[4])! : 400

guard gtk_init_check() != 0 else { fatalError("there is no display") }
do {
    switch arguments[1] {
    case "gestures": try Driver.run(in: arguments[2]) { try $0.runGestures() }
    case "keeping-its-place": try Driver.run(in: arguments[2]) { try $0.runKeepingItsPlace() }
    case "picture": try Driver.run(in: arguments[2]) { try $0.runPicture() }
    case "random": try Driver.run(in: arguments[2]) { try $0.runRandomEdits(seed: seed, steps: steps) }
    case "devices":
        let other = arguments[2] + "/other.listory"
        let shared = try SharedList([arguments[2] + "/todo.listory", other], in: arguments[2])
        defer { shared.end() }
        try Driver.run(in: arguments[2]) { try $0.runDevices(other: other) }
    case "controls": try Controls.run()
    default: fatalError("there is no scenario \(arguments[1])")
    }
    print("as it should be")
} catch {
    print("failed: \(error)")
    exit(1)
}
