// The recorded editing sessions. They are in a folder beside the project and are never copied into it.

import Foundation

/// A recording.
public enum RecordedTrace: String, CaseIterable, Sendable {
    case svelteComponent = "sveltecomponent.json.gz"
    case automergePaper = "automerge-paper.json.gz"

    /// Where the recordings are: the folder `LISTORY_TRACES` names, or `shared/data` beside the project.
    private static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["LISTORY_TRACES"] { return URL(fileURLWithPath: path) }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("shared/data")
    }()

    /// The path of the recording, whether it exists or not.
    public var path: String { RecordedTrace.folder.appendingPathComponent(rawValue).path }

    /// Whether it exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: path) }
}
