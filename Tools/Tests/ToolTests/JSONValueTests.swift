// Tests parsing JSON values, and writing them as canonical bytes.

import Foundation
import ListModel
import Testing
import ToolSupport

@Suite struct JSONValueTests {
    private func canonical(_ text: String) throws -> String { JSONValue.text(of: try JSONValue(parsing: text.utf8)) }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("[ ]", "[]"), ("{ }", "{}"), ("-7", "-7"), ("1.0", "1"), ("1e2", "100"),
        ("0.5", "0.5"), ("-2.25e-3", "-0.00225"), ("\"\\u0041\\/\"", "\"A/\""),
        (#"{"b":[1,{"d":2,"c":3}],"a":null}"#, #"{"a":null,"b":[1,{"c":3,"d":2}]}"#),
        ("\"\\n\\t\\r\\u0001\\u001f\\\"\\\\\"", "\"\\n\\t\\r\\u0001\\u001f\\\"\\\\\""), ("\"😀é\"", "\"😀é\""),
    ])
    func `A value has canonical bytes`(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
        #expect(try canonical(expected) == expected)
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616",
        "12345678901234567890123456789012345678", "-9223372036854775809", "9007199254740993",
    ])
    func `Whole numbers are kept digit by digit`(text: String) throws {
        #expect(try canonical(text) == text)
    }

    @Test(arguments: [
        "", " ", "{", "[1 2]", "{\"a\"}", "tru", "01", "+1", "NaN", "'a'", "1 2", "\"\\x\"", "\"\\ud800\"", "\"a",
        "1e400", "{a:1}",
    ])
    func `What is not JSON is an error`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text.utf8) }
    }

    @Test func `Bytes that are not UTF-8 and endless nesting are errors`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: deep.utf8) }
    }

    @Test func `Names are sorted by their bytes`() throws {
        #expect(try canonical(#"{"é":1,"z":2,"Z":3,"":4,"a":5}"#) == #"{"":4,"Z":3,"a":5,"z":2,"é":1}"#)
    }

    @Test func `Identifiers are numbers and strings, and UUIDs can be given`() throws {
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(JSONValue.integer(7).identifier == 7)
        #expect(JSONValue.string("7").identifier == "7")
        #expect(JSONValue.object(["$uuid": .string(uuid.uuidString)]).identifier == .uuid(uuid))
        for value in [JSONValue.null, .bool(true), .number(1.5), .array([]), .object([:]), .object(["$uuid": "x"])] {
            #expect(value.identifier == nil)
        }
        var writer = JSONWriter()
        writer.array { writer in
            for id in [7, "7", UntypedID.uuid(uuid)] { writer.write(id) }
        }
        #expect(writer.text == "[7,\"7\",\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"]")
    }

    @Test func `Content that is not JSON survives as base 64`() {
        let bytes: [UInt8] = [0, 1, 0xFF]
        let shown = bytes.withUnsafeBytes(RowContent.value)
        #expect(shown == .object(["$base64": "AAH/"]))
        #expect(RowContent.bytes(shown) == bytes)
        #expect(RowContent.bytes(.object(["$base64": "no base 64"])) == Array(#"{"$base64":"no base 64"}"#.utf8))
        #expect([UInt8]().withUnsafeBytes(RowContent.value) == .object(["$base64": ""]))
    }

    @Test func `Content with a version is shown with it, and survives`() {
        let bytes: [UInt8] = [0xFF, 3] + Array(#"{"title":"Milk"}"#.utf8)
        let shown = bytes.withUnsafeBytes(RowContent.value)
        #expect(shown == .object(["$version": .integer(3), "$content": .object(["title": .string("Milk")])]))
        #expect(RowContent.bytes(shown) == bytes)
        #expect(bytes.withUnsafeBytes(RowContent.title) == "Milk")
        let binary: [UInt8] = [0xFF, 1, 0, 0xFE]
        #expect(RowContent.bytes(binary.withUnsafeBytes(RowContent.value)) == binary)
        // If an envelope cannot have the version, the object is a content like any other.
        let plain = Array(#"{"$content":1,"$version":126}"#.utf8)
        #expect(RowContent.bytes(plain.withUnsafeBytes(RowContent.value)) == plain)
    }

    @Test(arguments: [
        (#"{"title":"Milk","n":1}"#, "Milk"), (#"{"title":7}"#, #"{"title":7}"#), (#""a""#, #""a""#),
        ("[1, 2]", "[1,2]"),
    ])
    func `The title of a content is its title or all of it`(text: String, title: String) {
        #expect(Array(text.utf8).withUnsafeBytes(RowContent.title) == title)
    }

    @Test(arguments: [
        (#"{"a":1,2}"#, #"expected a name in quotation marks, found "2" in line 1, column 8"#),
        ("{\"a\"\n 1}", #"expected a colon, found "1" in line 2, column 2"#),
        ("[1 2]", #"expected a comma or ], found "2" in line 1, column 4"#),
        ("[1", "expected a comma or ], found the end in line 1, column 3"),
        ("", "expected a value, found the end in line 1, column 1"),
        ("tru", "expected true, found the end in line 1, column 4"),
        ("1.", "expected a digit, found the end in line 1, column 3"),
        (#""\x""#, #"expected the letter of an escape, found "x" in line 1, column 3"#),
        ("1 2", #"expected the end, found "2" in line 1, column 3"#),
        (String(repeating: "[", count: 600), "expected at most 512 arrays and objects in each other, found "),
    ])
    func `An error says where bytes stop being JSON`(text: String, expected: String) {
        do {
            let value = try JSONValue(parsing: text.utf8)
            Issue.record("\(value) is not JSON")
        } catch {
            #expect("\(error)".hasPrefix(expected))
        }
    }

    @Test func `Control characters of content cannot reach a terminal`() {
        #expect("a\u{1B}[31m\n\u{202E}b".visible == "a\\u{1B}[31m\\n\\u{202E}b")
        #expect("👩‍👩‍👧 ünï".visible == "👩‍👩‍👧 ünï")
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}
