// Texts of others, made harmless for a terminal.
//
// Always holds: what is printed moves no cursor, changes no colour and no direction, and is on one line.

extension String {
    /// The text with its control characters made visible, on one line.
    public var visible: String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\u{200D}"
            default: false
            }
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// The most characters of ``shown``.
    static let shownLimit = 300

    /// The beginning of the visible text, with the number of bytes of what is left out.
    public var shown: String {
        // Bytes first: counting the characters of a long text takes long.
        guard utf8.count > String.shownLimit,
            let end = unicodeScalars.index(startIndex, offsetBy: String.shownLimit, limitedBy: endIndex), end < endIndex
        else { return visible }
        return "\(String(self[..<end]).visible)… (\(utf8[end...].count) bytes more)"
    }
}
