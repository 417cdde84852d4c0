// `listory play`. Always holds: it changes nothing; the printed changes lead from the first version to the last, frame
// by frame.

import ArgumentParser
import Listory
import ToolSupport

struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play what happened, version after version.",
        discussion: """
            Each commit is printed with what it changed, as diff prints it. The second version may be the older one: \
            then it is played backward. Without --speed there are no pauses; with it, they are those between the \
            commits, divided by the factor. As json, each commit is one line, with its version, cause and name, and with the \
            changeset that exec would answer with.

            Example:
              listory play todo.listory 3 12
              listory play todo.listory --speed 10 --longest-pause 2
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The version to begin with; by default the oldest.", transform: { try VersionName($0) })
    var from: VersionName?

    @Argument(help: "The version to end with; by default the newest.", transform: { try VersionName($0) })
    var to: VersionName?

    @Option(help: ArgumentHelp("How many times as fast as it happened.", valueName: "factor"))
    var speed: Double?

    @Option(help: ArgumentHelp("The longest pause, in seconds.", valueName: "seconds"))
    var longestPause: Double?

    @OptionGroup var format: FormatOption
    @OptionGroup var color: ColorOption

    func validate() throws {
        if let speed, !(speed > 0) { throw ValidationError("--speed: expected more than 0, found \(speed)") }
        if longestPause != nil && speed == nil {
            throw ValidationError("--longest-pause: expected --speed beside it")
        }
        if let longestPause, !(0...1e9).contains(longestPause) {
            throw ValidationError("--longest-pause: expected 0 to 1,000,000,000, found \(longestPause)")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let pace = speed.map { PlaybackSpeed.times($0, longestPause: longestPause.map { .seconds($0) }) } ?? .unpaced
        let (start, end) = (
            try from?.version(in: store) ?? store.oldestVersion, try to?.version(in: store) ?? store.version
        )
        try PlaybackReport(store).print(from: start, to: end, pace, format.value, color.style) {
            try Standard.output.write($0)
        }
        try store.close()
    }
}
