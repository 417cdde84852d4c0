// A version on a command line, by its number or by a date.
//
// Always holds: a date has hyphens, so no text can be both.

import ListModel
import Listory

/// A version, or the newest one at a time.
public enum VersionOrDate: Hashable, Sendable {
    /// The version itself.
    case version(Version)
    /// The newest version at this time.
    case time(Timestamp)

    /// Parses a version or an ISO 8601 date, with or without a time of day; nil if the text is neither.
    public init?(_ text: String) {
        if let number = UInt64(text) {
            self = .version(Version(number))
        } else if let time = CompactionRequest.time(text) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The version, or the newest one at the time.
    public func version(in store: UntypedStore) throws -> Version {
        switch self {
        case .version(let version): version
        case .time(let time): try store.version(at: time)
        }
    }

    /// The rows at that version.
    ///
    /// - Throws: `ListError` if the store has no such version.
    public func snapshot(in store: UntypedStore) throws -> UntypedSnapshot {
        try store.snapshot(at: version(in: store))
    }
}
