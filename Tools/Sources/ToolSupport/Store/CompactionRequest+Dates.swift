// Reads dates on a command line and in a written log.
//
// Foundation would read them as well. With it, importing a log takes four times as long.
//
// Always holds: what `log` prints is read, to the microsecond; a day or a time that does not exist is refused.

import ListModel

extension CompactionRequest {
    /// The time of an ISO 8601 date, in UTC unless it says something else, with as much of the time of day as wanted; nil
    /// if the text is not one. A log is read with it, so it takes less than a microsecond.
    public static func time(_ text: String) -> Timestamp? {
        var rest = Substring(text).utf8
        func take(_ character: Character) -> Bool {
            guard rest.first == character.asciiValue else { return false }
            rest.removeFirst()
            return true
        }
        /// A number of so many digits, in a range.
        func number(_ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest.removeFirst(count)
            let value = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
            return range.contains(value) ? value : nil
        }
        guard let year = number(4, 0...9_999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...daysOfMonth(month, year))
        else { return nil }
        var (seconds, microseconds) = (days(year, month, day) * 86_400, Int64(0))
        if take("T") {
            guard let hour = number(2, 0...23), take(":"), let minute = number(2, 0...59) else { return nil }
            seconds += hour * 3_600 + minute * 60
            if take(":") {
                guard let second = number(2, 0...59) else { return nil }
                seconds += second
                if take(".") {
                    let digits = rest.prefix { (0x30...0x39).contains($0) }
                    guard (1...9).contains(digits.count) else { return nil }
                    microseconds = (0..<6).reduce(0) { sum, index in
                        let digit = digits.dropFirst(index).first
                        return sum * 10 + Int64((digit ?? 0x30) - 0x30)
                    }
                    rest.removeFirst(digits.count)
                }
            }
            let isAhead = rest.first == UInt8(ascii: "+")
            if !take("Z"), isAhead ? take("+") : take("-") {
                guard let hours = number(2, 0...23), take(":"), let minutes = number(2, 0...59) else { return nil }
                seconds -= (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
            }
        }
        return rest.isEmpty ? Timestamp(microseconds: seconds * 1_000_000 + microseconds) : nil
    }

    private static func daysOfMonth(_ month: Int64, _ year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days since 1970, in the calendar of today.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years begin in March, so that the day that not all of them have is the last one.
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = year.flooredQuotient(4) - year.flooredQuotient(100) + year.flooredQuotient(400)
        return year * 365 + leapDays + (153 * month + 2) / 5 + day - 1 - 719_468
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
