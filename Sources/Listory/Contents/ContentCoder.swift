// Encodes an app's items as bytes and decodes them. The model never decodes the bytes.
//
// Always holds: equal items have equal bytes, so that storing the same item again is no edit.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes items as the content of rows.
///
/// The default is JSON: it describes itself, tolerates added fields, and every tool can show it. Pass two functions for
/// another encoding.
public struct ContentCoder<Item>: Sendable {
    /// The bytes of an item; the same for equal items.
    public var encode: @Sendable (Item) throws -> [UInt8]
    /// The item of these bytes.
    public var decode: @Sendable (UnsafeRawBufferPointer) throws -> Item
    /// The version that it writes; 0 if it writes none. See ``upcasting(_:from:detecting:)``.
    public internal(set) var version = 0

    /// A coder of these two functions.
    public init(
        encode: @escaping @Sendable (Item) throws -> [UInt8],
        decode: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Item
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension ContentCoder where Item: Codable & SendableMetatype {
    /// JSON with sorted keys.
    public static var json: ContentCoder {
        ContentCoder(
            encode: { item in
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return Array(try encoder.encode(item))
            },
            decode: { bytes in
                // No JSON begins like an envelope.
                if let version = ContentEnvelope.version(of: bytes) {
                    throw ContentError(version: version, problem: .noUpcasters)
                }
                return try JSONDecoder().decode(Item.self, from: Data(bytes))
            })
    }
}

extension ContentCoder where Item: Identifiable, Item.ID: RowIdentifier {
    /// The bytes of an item.
    ///
    /// - Throws: ``ListError/unencodable(_:cause:)``.
    package func content(of item: Item) throws(ListError) -> [UInt8] {
        do { return try encode(item) } catch { throw .unencodable(item.id.untypedID, cause: error) }
    }
}

/// Decodes the content of rows.
struct RowReader<Item>: Sendable {
    let source: any CommitSource
    let coder: ContentCoder<Item>
}
