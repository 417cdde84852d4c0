// The program: edits notes in the terminal.
//
// Always holds: however it ends, what was typed is in the file; a kill loses at most the last instant.

import Foundation
import NoteEditor

exit(NoteProgram.run(Array(CommandLine.arguments.dropFirst())))
