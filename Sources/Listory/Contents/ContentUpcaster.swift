// An upcaster: converts content of one version to the next.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A function from the content of one version to that of the next.
///
/// It must depend on nothing but the content, because it runs each time old content is read.
public struct ContentUpcaster: Sendable {
    let convert: @Sendable ([UInt8]) throws -> [UInt8]

    /// An upcaster from bytes to bytes.
    public init(_ convert: @escaping @Sendable ([UInt8]) throws -> [UInt8]) {
        self.convert = convert
    }

    /// An upcaster from one type to the next, both encoded as JSON.
    ///
    /// ```swift
    /// .json { (old: TodoV1) in TodoV2(title: old.title, tags: []) }
    /// ```
    public static func json<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        _ convert: @escaping @Sendable (Old) throws -> New
    ) -> ContentUpcaster {
        ContentUpcaster { bytes in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(convert(JSONDecoder().decode(Old.self, from: Data(bytes)))))
        }
    }
}
