// The program: opens a store and shows it in a window.
//
// Always holds: however it ends, except by a kill, all edits are in the file.

import Foundation
import TodoWindow

@main
enum TodoProgram {
    static func main() {
        exit(TodoApp.run(Array(CommandLine.arguments.dropFirst())))
    }
}
