// The options of commands that print texts for a terminal. Always holds: without one, the text is printed as it is.

import ArgumentParser
import ToolSupport

extension TerminalStyle.Choice: ExpressibleByArgument {}

/// Whether a text has colours.
struct ColorOption: ParsableArguments {
    @Option(help: ArgumentHelp("Whether text has colours.", valueName: "when"))
    var color: TerminalStyle.Choice = .auto

    var style: TerminalStyle { Standard.style(color) }
}

/// Whether a text is shown a screen at a time.
struct PagerOption: ParsableArguments {
    @Flag(name: .customLong("no-pager"), help: "Print everything at once, also on a terminal.")
    var isOff = false

    /// Calls `body`, whose output goes to a pager. The style of its text is found before, because a pager is no terminal.
    func page(_ body: () throws -> Void) throws { try isOff ? body() : Pager.run(body) }
}

/// How a command prints a report, which may be long.
struct ReportOptions: ParsableArguments {
    @OptionGroup var format: FormatOption
    @OptionGroup var color: ColorOption
    @OptionGroup var pager: PagerOption

    /// Prints a report. Only the form that is asked for is made.
    func print(text: (TerminalStyle) throws -> String, json: () throws -> [UInt8]) throws {
        let style = color.style
        try pager.page { try format.write(text: text(style), json: json()) }
    }
}
