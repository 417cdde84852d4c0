// Tests the dates of a command line and of a written log, against Foundation.

import Foundation
import ListModel
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct DateTests {
    /// The days of a month, by Foundation.
    private static func dayCount(_ year: Int, _ month: Int) throws -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let first = try #require(calendar.date(from: DateComponents(year: year, month: month)))
        return try #require(calendar.range(of: .day, in: .month, for: first)?.count)
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// Foundation has another calendar before 1583, and reads only offsets that there are.
    @Test(arguments: 1...3)
    func `A date is read as Foundation reads it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func digits(_ range: ClosedRange<Int>) -> String { Self.two(Int.random(in: range, using: &random)) }
        for _ in 0..<5_000 {
            let (year, month) = (Int.random(in: 1583...9999, using: &random), Int.random(in: 1...12, using: &random))
            let date = "\(year)-\(Self.two(month))-\(digits(1...(try Self.dayCount(year, month))))"
            let time = "\(digits(0...23)):\(digits(0...59)):\(digits(0...59))"
            let zones = ["Z", "+\(digits(0...14)):\(digits(0...59))", "-\(digits(0...14)):\(digits(0...59))"]
            let zone = zones[Int.random(in: 0..<3, using: &random)]
            let expected = try Date("\(date)T\(time)\(zone)", strategy: .iso8601).timeIntervalSince1970
            let found = CompactionRequest.time("\(date)T\(time).25\(zone)")
            #expect(found?.microseconds == Int64(expected) * 1_000_000 + 250_000, "\(date)T\(time)\(zone)")
        }
    }

    @Test func `Each day of four centuries has its number, and no other day is read`() throws {
        // The first of January 1583.
        var day: Int64 = -141_349
        for year in 1583...2000 {
            for month in 1...12 {
                let count = try Self.dayCount(year, month)
                let found = (0...99).map {
                    CompactionRequest.time("\(year)-\(Self.two(month))-\(Self.two($0))")?.microseconds
                }
                let expected = (0...99).map { (1...count) ~= $0 ? (day + Int64($0) - 1) * 86_400_000_000 : nil }
                #expect(found == expected, "\(year)-\(month)")
                day += Int64(count)
            }
        }
    }

    @Test(arguments: 1...3)
    func `A time that the log prints is read again`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            // The years 1583 to 9999.
            let range: ClosedRange<Int64> = -12_212_553_600_000_000...253_402_300_799_999_999
            let time = Timestamp(microseconds: Int64.random(in: range, using: &random))
            #expect(CompactionRequest.time(time.text) == time, "\(time.microseconds)")
        }
    }

    @Test(
        arguments: [
            ("1970-01-01", 0), ("1970-01-01T00:01", 60), ("1969-12-31T23:59:59", -1), ("2000-02-29", 951_782_400),
            ("2024-02-29T00:00Z", 1_709_164_800), ("0000-03-01", -62_162_035_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1970-01-01T00:00+23:59", -86_340), ("1970-01-01T00:00:00-00:01", 60),
            ("1970-01-01T00:00:00.9999999", 0.999999), ("1970-01-01T00:00:00.5", 0.5),
            ("1970-01-01T00:00:00.000001999Z", 0.000001),
        ] as [(String, Double)])
    func `The edges of what can be read are read`(text: String, seconds: Double) {
        #expect(CompactionRequest.time(text)?.microseconds == Int64((seconds * 1_000_000).rounded()))
    }

    @Test(arguments: [
        "", "yesterday", "01.03.2026", "2026", "2026-01", "2026-1-01", "2026-01-1", "02026-01-01", "26-01-01",
        "2026-00-01", "2026-13-01",
        "2026-01-00",
        "2026-04-31", "2026-02-29", "1900-02-29", "2100-02-29", "2026-01-01T", "2026-01-01T24:00", "2026-01-01T23:60",
        "2026-01-01T23", "2026-01-01T23:59:60", "2026-01-01T23:59:5", "2026-01-01T23:59:59.",
        "2026-01-01T23:59:59.0000000000",
        "2026-01-01T23:59.5", "2026-01-01T23:59:59,5", "2026-01-01T12:00+24:00", "2026-01-01T12:00+00:60",
        "2026-01-01T12:00+0100",
        "2026-01-01T12:00+01", "2026-01-01T12:00z", "2026-01-01t12:00", "2026-01-01 12:00", "2026-01-01Z",
        "2026-01-01+01:00",
        "2026-01-01T12:00ZZ", " 2026-01-01", "2026-01-01 ", "+2026-01-01", "-2026-01-01", "2026-01-01T-1:00",
        "２026-01-01",
        "2026-01-0\u{661}", "2026-01-01\u{0}", "2026–01–01", "1970-01-01T00:00+-1:00",
    ])
    func `Anything else is no date`(text: String) {
        #expect(CompactionRequest.time(text) == nil)
    }
}
