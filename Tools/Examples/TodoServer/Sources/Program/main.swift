// The program: opens a store and shows it to browsers.
//
// Always holds: however it ends, all edits that were answered are in the file.

import Foundation
import TodoServer

exit(await TodoServer.run(Array(CommandLine.arguments.dropFirst())))
