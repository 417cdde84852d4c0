// Prints a range of versions frame by frame, at the given speed.
//
// Always holds: a frame is not printed before its time.

import ListModel
import Listory

/// Prints a playback.
public struct PlaybackReport {
    private let store: UntypedStore

    /// A report on the versions of a store.
    public init(_ store: UntypedStore) {
        self.store = store
    }

    /// Prints the frames of a range of versions.
    ///
    /// - Parameters:
    ///   - start: the version to begin with.
    ///   - end: the version to end with; if it is the older one, the range is played backward.
    ///   - send: receives the output, frame by frame.
    /// - Throws: `ListError.unknownVersion`, `ListError.droppedVersion`, an error of the log, and what `send` throws.
    public func print(
        from start: Version, to end: Version, _ speed: PlaybackSpeed, _ format: OutputFormat, _ style: TerminalStyle,
        send: ([UInt8]) throws -> Void
    ) throws {
        try store.forEachFrame(from: start, to: end) { frame in
            let duration = speed.pause(frame.pause)
            if duration > .zero { pause(for: duration) }
            try send(format == .text ? Array(text(frame, style).utf8) : json(frame))
        }
    }

    /// The commit, and a line for each change.
    private func text(_ frame: PlaybackFrame, _ style: TerminalStyle) throws -> String {
        let isBackward = frame.snapshot.version < frame.previous.version
        let what = isBackward ? "before " : ""
        let changes = try DifferenceReport(from: frame.previous, to: frame.snapshot, source: store.source).text(style)
        return "\(frame.commit.time.text)  \(what)\(LogReport.summary(frame.commit))\n\(changes)"
    }

    /// The commit, and the changeset in the format of `exec`.
    private func json(_ frame: PlaybackFrame) throws -> [UInt8] {
        JSONWriter.line { writer in
            // The version is that of the rows, which are those before the commit if it is played backward.
            writer.member("commit", frame.commit.version.rawValue)
            writer.writeOccasion(frame.commit)
            writer.write(frame.snapshot, frame.changeset)
        }
    }
}
