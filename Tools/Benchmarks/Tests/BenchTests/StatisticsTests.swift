// Tests the statistics of samples.

import BenchSupport
import Testing

struct StatisticsTests {
    @Test func theMedianIsTheMiddle() {
        #expect(Statistics.median([3]) == 3)
        #expect(Statistics.median([9, 1, 2]) == 2)
        #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
    }

    @Test func aPercentileIsASample() {
        let samples = (1...100).map(Double.init).shuffled()
        #expect(Statistics.percentile(0.5, of: samples) == 50)
        #expect(Statistics.percentile(0.99, of: samples) == 99)
        #expect(Statistics.percentile(1, of: samples) == 100)
        #expect(Statistics.percentile(0, of: samples) == 1)
        #expect(Statistics.percentile(0.99, of: [7]) == 7)
    }

    @Test func numbersHaveThreeDigits() {
        #expect(NumberText.text(0.12345) == "0.123")
        #expect(NumberText.text(-0.5) == "-0.500")
        #expect(NumberText.text(.infinity) == "inf")
        #expect(NumberText.text(1.2345) == "1.23")
        #expect(NumberText.text(12.345) == "12.3")
        #expect(NumberText.text(1_234_567.8) == "1,234,568")
        #expect(NumberText.count(1_000_000) == "1M")
        #expect(NumberText.count(10_000) == "10k")
        #expect(NumberText.count(1_500) == "1500")
        #expect(NumberText.duration(0.0021) == "2.10 ms")
        #expect(NumberText.duration(2.5e-6) == "2.50 µs")
        #expect(NumberText.bytes(1_536) == "1.50 KiB")
    }
}
