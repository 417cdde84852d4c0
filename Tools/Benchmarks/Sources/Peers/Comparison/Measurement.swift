// What a measuring process prints. Always holds: one line of JSON, an object of numbers.

import Foundation

/// Reads and writes what was measured.
enum Measurement {
    /// The line.
    static func line(_ values: Values) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(values), as: UTF8.self)
    }

    /// What a line says.
    static func values(_ line: Data) throws -> Values { try JSONDecoder().decode(Values.self, from: line) }
}
