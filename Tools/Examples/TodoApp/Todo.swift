// The item of a row.

import Foundation

struct Todo: Codable, Identifiable, Sendable {
    var id = UUID()
    var title: String
}
