// A recording of a text being edited: transactions of patches, in Unicode scalars.
//
// Always holds: every patch fits the text after the patches before it; each value of a file is checked.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A recorded editing session.
public struct EditingTrace: Equatable, Sendable {
    /// The replacement of some scalars by others.
    public struct Patch: Equatable, Sendable {
        /// The position, in Unicode scalars from the start of the text.
        public var position: Int
        /// How many scalars are deleted.
        public var deleted: Int
        /// The text that is inserted.
        public var inserted: String

        /// A patch.
        public init(position: Int, deleted: Int, inserted: String) {
            self.position = position
            self.deleted = deleted
            self.inserted = inserted
        }
    }

    /// The edits of one moment.
    public struct Transaction: Equatable, Sendable {
        /// The time, if the recording has it.
        public var time: Timestamp?
        /// The edits, in order.
        public var patches: [Patch]
    }

    /// The text before the first transaction.
    public var startContent: String
    /// The text after the last transaction, if the recording has it.
    public var endContent: String?
    public var transactions: [Transaction]

    /// The trace in a file.
    ///
    /// - Throws: ``ImportError``.
    public init(json bytes: [UInt8]) throws {
        do { self = try JSONDecoder().decode(EditingTrace.self, from: Data(bytes)) } catch let error as DecodingError {
            throw ImportError(EditingTrace.text(error))
        }
        try check()
    }

    /// Checks that every patch fits, and that the text has the right length at the end.
    private func check() throws {
        var count = startContent.unicodeScalars.count
        for (index, transaction) in transactions.enumerated() {
            for (number, patch) in transaction.patches.enumerated() {
                let place = "transaction \(index + 1), patch \(number + 1)"
                guard patch.position >= 0 && patch.position <= count else {
                    throw ImportError("\(place): expected a position from 0 to \(count), found \(patch.position)")
                }
                let room = count - patch.position
                guard patch.deleted >= 0 && patch.deleted <= room else {
                    throw ImportError("\(place): expected to delete from 0 to \(room), found \(patch.deleted)")
                }
                count += patch.inserted.unicodeScalars.count - patch.deleted
            }
        }
        if let expected = endContent?.unicodeScalars.count, expected != count {
            throw ImportError("endContent: expected \(count) scalars, as the patches leave, found \(expected)")
        }
    }

    private static func text(_ error: DecodingError) -> String {
        let expected = "expected an editing trace"
        switch error {
        case .keyNotFound(let key, let context):
            return "\(expected): \(path(context)) has no \"\(key.stringValue)\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return "\(expected): \(path(context)): \(context.debugDescription)"
        @unknown default: return expected
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? "the input"
            : context.codingPath.map { key in
                key.intValue.map { "[\($0)]" } ?? key.stringValue
            }.joined(separator: ".")
    }
}

extension EditingTrace: Decodable {
    private enum CodingKeys: String, CodingKey {
        case startContent
        case endContent
        case transactions = "txns"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        startContent = try container.decodeIfPresent(String.self, forKey: .startContent) ?? ""
        endContent = try container.decodeIfPresent(String.self, forKey: .endContent)
        transactions = try container.decode([Transaction].self, forKey: .transactions)
    }
}

extension EditingTrace.Transaction: Decodable {
    private enum CodingKeys: String, CodingKey {
        case time
        case patches
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        patches = try container.decode([EditingTrace.Patch].self, forKey: .patches)
        time = try container.decodeIfPresent(String.self, forKey: .time).flatMap(RecordedTime.timestamp)
    }
}

/// Parses the times of recordings. There are hundreds of thousands, for which a formatter would need seconds.
enum RecordedTime {
    /// The time of a text like `2021-04-19T06:06:58.219Z`; nil if the text has another form.
    static func timestamp(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[23] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), let millisecond = number(20..<23)
        else { return nil }
        // Days since 1970: years begin in March, so that a leap day comes last.
        let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        return Timestamp(microseconds: (seconds * 1_000 + millisecond) * 1_000)
    }
}

extension EditingTrace.Patch: Decodable {
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        position = try container.decode(Int.self)
        deleted = try container.decode(Int.self)
        inserted = try container.decode(String.self)
    }
}
