// The part of a document that a program writes, between two comments.
//
// Always holds: what is outside the comments stays as it is, byte for byte.

/// A part of a document.
public struct MarkedPart: Sendable {
    let name: String

    /// The document has no such part.
    public struct Missing: Error, Equatable, CustomStringConvertible {
        public let marker: String
        public var description: String { "the document has no line \(marker)" }
    }

    /// The part between `<!-- name:begin -->` and `<!-- name:end -->`.
    public init(name: String) { self.name = name }

    /// The document with another text in that part.
    public func replaced(in document: String, by text: String) throws -> String {
        let begin = "<!-- \(name):begin -->\n"
        let end = "<!-- \(name):end -->"
        guard let start = document.firstRange(of: begin) else { throw Missing(marker: begin.trimmedLine) }
        guard let stop = document[start.upperBound...].firstRange(of: end) else { throw Missing(marker: end) }
        return document[..<start.upperBound] + "\n" + text + "\n" + document[stop.lowerBound...]
    }
}

extension String {
    fileprivate var trimmedLine: String { hasSuffix("\n") ? String(dropLast()) : self }
}
