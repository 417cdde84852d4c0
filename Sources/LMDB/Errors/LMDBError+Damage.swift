// Describes one damaged place in a data file.
//
// Always holds: it says what is wrong, where in the file, what was expected and what was found.

extension LMDBError {
    /// Whether the error says that the file is damaged. Other errors may be temporary.
    package var saysDamage: Bool {
        switch kind {
        case .damaged, .wrongSize, .undecodable: true
        case .engine(let code): [.corrupted, .pageNotFound, .invalid, .cursorFull].contains(code)
        default: false
        }
    }

    /// One thing that is wrong in a data file.
    public struct Damage: Equatable, Sendable, CustomStringConvertible {
        /// What is wrong, in plain words: `"magic number"`, `"page number"`.
        public let what: String
        /// The offset in the file, in bytes.
        public let offset: Int
        /// What a sound file has there.
        public let expected: String
        /// What this file has there.
        public let found: String

        /// Describes one thing that is wrong.
        ///
        /// - Parameters:
        ///   - what: The field or rule.
        ///   - offset: Where in the file, in bytes.
        ///   - expected: What a sound file has there.
        ///   - found: What this file has there.
        public init(what: String, offset: Int, expected: String, found: String) {
            self.what = what
            self.offset = offset
            self.expected = expected
            self.found = found
        }

        /// All four fields as one sentence.
        public var description: String {
            "damaged data file: \(what) at byte \(offset): expected \(expected), found \(found)"
        }
    }
}
