// Tests parsing distances on a command line.

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
}
