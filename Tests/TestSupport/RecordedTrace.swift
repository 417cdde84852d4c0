// The recorded editing sessions, which lie beside the project and are never copied into it.

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

    /// Where the recording is, or would be.
    public var path: String { RecordedTrace.folder.appendingPathComponent(rawValue).path }

    /// Whether it is there.
    public var exists: Bool { FileManager.default.fileExists(atPath: path) }
}
