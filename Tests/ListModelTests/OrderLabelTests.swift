// Tests labels: they ascend along a sequence after any insertions; and counts how many labels change.

@testable import ListModel
import TestSupport
import Testing

@Suite("Order labels")
struct OrderLabelTests {
    /// A sequence of labels alone.
    private struct Labels {
        var space: LabelSpace
        var labels: [UInt64] = []
        /// How many elements got another label.
        var relabelled = 0

        mutating func insert(_ count: Int, at offset: Int) {
            let left = offset > 0 ? labels[offset - 1] : nil
            let right = offset < labels.count ? labels[offset] : nil
            if let run = space.between(left, right, count: count) {
                labels.insert(contentsOf: (0..<count).map { run[$0] }, at: offset)
                return
            }
            let room = space.room(for: count, at: offset, count: labels.count) { labels[$0] }
            relabelled += room.range.count
            labels.replaceSubrange(room.range, with: (0..<room.range.count + count).map { room.run[$0] })
        }

        func check(_ comment: Comment) throws {
            try #require(labels.first.map { $0 > 0 } ?? true, comment)
            try #require(labels.last.map { $0 < space.maximum } ?? true, comment)
            try #require(zip(labels, labels.dropFirst()).allSatisfy(<), comment)
        }
    }

    @Test(
        "Labels ascend after insertions anywhere, in narrow spaces and wide ones",
        arguments: 1...30 as ClosedRange<UInt64>)
    func ascending(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let steps: [UInt64] = [1, 3, 1 << 8, 1 << 32]
        var labels = Labels(space: LabelSpace(maximum: 1 << [16, 24, 62][Int(seed % 3)], step: steps[Int(seed % 4)]))
        var place = 0
        for _ in 0..<120 {
            if generator.oneIn(8) { place = Int.random(in: 0...labels.labels.count, using: &generator) }
            place = min(place, labels.labels.count)
            labels.insert(generator.oneIn(10) ? Int.random(in: 2...20, using: &generator) : 1, at: place)
            try labels.check("seed \(seed)")
        }
    }

    @Test("Insertions at one place give a logarithmic number of elements other labels", arguments: [false, true])
    func amortized(forwards: Bool) throws {
        var labels = Labels(space: LabelSpace())
        labels.insert(20_000, at: 0)
        for count in 0..<20_000 { labels.insert(1, at: 10_000 + (forwards ? count : 0)) }
        try labels.check("one place")
        #expect(labels.relabelled > 0 && labels.relabelled < 20_000 * 16)
    }

    @Test("When labels reach an end of the space, they are distributed again from its middle")
    func endOfSpace() throws {
        var labels = Labels(space: LabelSpace(maximum: 1 << 20, step: 1 << 16))
        for _ in 0..<300 { labels.insert(1, at: labels.labels.count) }
        for _ in 0..<300 { labels.insert(1, at: 0) }
        try labels.check("both ends")
        #expect(labels.relabelled > 0)
    }
}
