// The output of a measuring process. Always holds: it is one line of JSON, an object of numbers.

import Foundation

/// Encodes and decodes measured values.
enum Measurement {
    /// The line.
    static func line(_ values: Values) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(values), as: UTF8.self)
    }

    /// The values of a line.
    static func values(_ line: Data) throws -> Values { try JSONDecoder().decode(Values.self, from: line) }
}
