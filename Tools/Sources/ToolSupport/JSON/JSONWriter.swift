// Writes JSON byte by byte, without building values first.
//
// Always holds: between matching `begin` and `end` calls the bytes are a prefix of valid JSON; strings are escaped as
// little as JSON allows, so that equal values have equal bytes.

/// Writes JSON values one after another.
public struct JSONWriter {
    /// The bytes so far.
    public private(set) var bytes: [UInt8] = []
    /// Whether ids and contents are written so that exactly they are read again, even where that is harder to read.
    let isExact: Bool
    /// Whether a comma has to be written before the next value.
    private var needsComma = false

    /// A writer without bytes.
    ///
    /// - Parameter isExact: whether UUIDs are told from strings, and contents are written byte for byte.
    public init(isExact: Bool = false) { self.isExact = isExact }

    /// A line with one object, whose members `body` writes.
    public static func line(_ body: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(body)
        writer.endLine()
        return writer.bytes
    }

    /// The text so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Ends the line and the value; the next value needs no comma.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Adds lines that another writer wrote.
    public mutating func append(_ lines: ArraySlice<UInt8>) { bytes += lines }

    /// Removes the first `count` bytes.
    public mutating func removeFirst(_ count: Int) {
        if count == bytes.count { bytes.removeAll(keepingCapacity: true) } else { bytes.removeFirst(count) }
    }
}

// MARK: - Values

extension JSONWriter {
    /// Writes an object, whose members `body` writes.
    public mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginValue()
        bytes.append(UInt8(ascii: "{"))
        try body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes an array, whose elements `body` writes.
    public mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginValue()
        bytes.append(UInt8(ascii: "["))
        try body(&self)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes the name of a member; its value follows.
    public mutating func key(_ name: String) {
        write(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member.
    public mutating func member(_ name: String, _ value: some BinaryInteger) {
        key(name)
        write(value)
    }

    /// Writes a member.
    public mutating func member(_ name: String, _ value: String) {
        key(name)
        write(value)
    }

    /// Writes a member.
    public mutating func member(_ name: String, _ value: Bool) {
        key(name)
        write(value)
    }

    /// Writes a whole number.
    public mutating func write(_ value: some BinaryInteger) { write(literal: String(value)) }

    /// Writes `null`.
    public mutating func writeNull() { write(literal: "null") }

    /// Writes `true` or `false`.
    public mutating func write(_ value: Bool) { write(literal: value ? "true" : "false") }

    /// Writes a string.
    public mutating func write(_ value: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 { writeEscaped(byte) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a value that another writer has written.
    public mutating func write(json bytes: some Sequence<UInt8>) {
        beginValue()
        self.bytes += bytes
        needsComma = true
    }

    /// Writes a value, the members of objects sorted by the UTF-8 bytes of their names.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): write(value)
        case .integer(let value): write(value)
        case .largeInteger(let value): write(literal: value.description)
        case .number(let value): write(literal: value.isFinite ? value.description : "null")
        case .string(let text): write(text)
        case .array(let elements): array { for element in elements { $0.write(element) } }
        case .object(let members):
            object { writer in
                for name in members.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                    writer.key(name)
                    writer.write(members[name]!)
                }
            }
        }
    }

    /// Writes a comma before the next value if necessary.
    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private mutating func write(literal: String) {
        beginValue()
        bytes.append(contentsOf: literal.utf8)
        needsComma = true
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
        case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
        case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
        case 0..<0x20: bytes += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
