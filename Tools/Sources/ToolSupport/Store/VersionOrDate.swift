// Which version a command looks at: by its number, or by a date.
//
// Always holds: a date has hyphens, so that no text is both.

import ListModel
import Listory

/// A version, or the newest one at a moment.
public enum VersionOrDate: Hashable, Sendable {
    /// The version itself.
    case version(Version)
    /// What the list was then.
    case time(Timestamp)

    /// A version or a date as ISO 8601 writes it, with or without a time of day; nil if it is neither.
    public init?(_ text: String) {
        if let number = UInt64(text) {
            self = .version(Version(number))
        } else if let time = CompactionRequest.time(text) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The version, or the one that was the newest then.
    public func version(in store: Store) throws -> Version {
        switch self {
        case .version(let version): version
        case .time(let time): try store.version(at: time)
        }
    }

    /// The rows at that version.
    ///
    /// - Throws: `StoreError` if the store has no such version.
    public func snapshot(in store: Store) throws -> Snapshot {
        try store.snapshot(at: version(in: store))
    }
}
