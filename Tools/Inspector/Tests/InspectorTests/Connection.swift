// HTTP over a socket, as little as the tests need; every byte of a request is the test's own.
//
// Always holds: no read waits for ever.

import Foundation
import ToolSupport

/// A failure of the tests' own means.
struct Trouble: Error, CustomStringConvertible {
    let description: String
}

/// A connection to a server.
final class Connection: @unchecked Sendable {
    // @unchecked Sendable: one thread reads at a time.
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Whether the other side has ended it. Otherwise a read that gets nothing has waited too long.
    private(set) var hasEnded = false

    /// - Parameters:
    ///   - host: the address in the order of its bytes.
    ///   - seconds: how long a read waits.
    init(port: Int, host: UInt32 = 0x7F00_0001, seconds: Int = 60) throws {
        #if os(Linux)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        wait(seconds)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let failed = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if failed != 0 { throw Trouble(description: "cannot connect to port \(port): \(errno)") }
    }

    deinit { Foundation.close(descriptor) }

    /// Sets how long a read waits.
    func wait(_ seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The server may answer and close before it has read everything.
            if count <= 0 { return }
            sent += count
        }
    }

    /// Reads a line without its end; nil if there are no more.
    func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = buffer[..<end].last == 0x0D ? buffer[..<(end - 1)] : buffer[..<end]
                defer { buffer.removeSubrange(...end) }
                return String(decoding: line, as: UTF8.self)
            }
            if !receive() { return nil }
        }
    }

    /// Reads this many bytes, or what there is.
    func read(_ count: Int) -> [UInt8] {
        while buffer.count < count, receive() {}
        defer { buffer.removeFirst(min(count, buffer.count)) }
        return Array(buffer.prefix(count))
    }

    private func receive() -> Bool {
        var part = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &part, part.count, 0)
        if count > 0 { buffer += part[..<count] }
        if count == 0 || (count < 0 && errno == ECONNRESET) { hasEnded = true }
        return count > 0
    }

    /// Reads the head of an answer.
    func readHead() throws -> (status: Int, fields: [String: String]) {
        guard let status = readLine()?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Trouble(description: "the server closed the connection without an answer")
        }
        var fields: [String: String] = [:]
        while let line = readLine(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        return (status, fields)
    }

    /// Reads a part of a body that is sent in parts; nil at the end.
    func readChunk() -> [UInt8]? {
        guard let line = readLine(), let size = Int(line, radix: 16), size > 0 else { return nil }
        let bytes = read(size)
        return readLine() != nil && bytes.count == size ? bytes : nil
    }

    /// Reads a whole answer.
    func readAnswer() throws -> Answer {
        let (status, fields) = try readHead()
        var body: [UInt8] = []
        if let length = fields["content-length"].flatMap({ Int($0) }) {
            body = read(length)
        } else {
            while let part = readChunk() { body += part }
        }
        return Answer(status: status, fields: fields, body: body)
    }
}

/// An answer.
struct Answer: CustomStringConvertible {
    let status: Int
    let fields: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONValue(parsing: body) } }
    /// The word for the error in it.
    var errorCode: String? { try? json["error"]?["code"]?.text }
    var description: String { "\(status) \(fields) \(text.prefix(500))" }
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? { members?[name] }

    /// The elements of an array.
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// A whole number.
    var number: Int? { if case .integer(let number) = self { Int(number) } else { nil } }

    /// Lines of JSON.
    static func lines(_ bytes: [UInt8]) throws -> [JSONValue] {
        try bytes.split(separator: 0x0A).map { try JSONValue(parsing: $0) }
    }
}
