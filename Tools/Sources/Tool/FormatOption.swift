// The option of every command that prints data. Always holds: text is the default.

import ArgumentParser
import ToolSupport

extension OutputFormat: ExpressibleByArgument {}

/// How a command prints its result.
struct FormatOption: ParsableArguments {
    @Option(name: .customLong("format"), help: ArgumentHelp("How the result is printed.", valueName: "format"))
    var format: OutputFormat = .text

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var isJSON = false

    var value: OutputFormat { isJSON ? .json : format }

    /// Prints a result. Only the form that is asked for is made.
    func write(text: @autoclosure () throws -> String, json: @autoclosure () throws -> [UInt8]) throws {
        switch value {
        case .text: try Standard.output.write(text())
        case .json: try Standard.output.write(json())
        }
    }
}
