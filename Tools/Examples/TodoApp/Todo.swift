// The item of a row.

import Foundation

// The store encodes items on other threads, also if the module is isolated to the main actor by default.
nonisolated struct Todo: Codable, Identifiable, Sendable {
    var id = UUID()
    var title: String
}
