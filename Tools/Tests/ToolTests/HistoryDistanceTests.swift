// Tests parsing distances and versions on a command line.

import ListModel
import Testing
import ToolSupport

@Suite struct HistoryDistanceTests {
    @Test(
        arguments: [
            ("1", .steps(1)), ("05", .steps(5)), ("30s", .time(.seconds(30))), ("5m", .time(.seconds(300))),
            ("2h", .time(.seconds(7_200))), ("1d", .time(.seconds(86_400))),
        ] as [(String, HistoryDistance)])
    func `A distance is a number of steps or a time`(text: String, distance: HistoryDistance) {
        #expect(HistoryDistance(text) == distance)
    }

    @Test(arguments: [
        "", "0", "0m", "m", "-1", "+1", "1.5h", "5 m", "5M", "5min", "1w", "٣", "9223372036854775808",
        "9223372036854775807m",
    ])
    func `Anything else is none`(text: String) { #expect(HistoryDistance(text) == nil) }

    @Test func `A version is a number, and a date has hyphens`() {
        #expect(VersionOrDate("20260301") == .version(Version(20_260_301)))
        #expect(VersionOrDate("2026-03-01") == .time(Timestamp(microseconds: 1_772_323_200_000_000)))
        #expect(VersionOrDate("2026-03-01T00:00:00.5Z") == .time(Timestamp(microseconds: 1_772_323_200_500_000)))
        for text in ["", "-1", "x", "2026-3-1", "2026-02-30x", "18446744073709551616"] {
            #expect(VersionOrDate(text) == nil, "\(text)")
        }
    }
}
