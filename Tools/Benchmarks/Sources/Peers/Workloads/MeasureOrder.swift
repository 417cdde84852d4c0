// The arguments of a measuring process, in a fixed order, because a parser of options would take longer than opening a
// store.
//
// Always holds: `arguments` and `init` agree.

/// One sample to take.
struct MeasureOrder {
    let workload: Workload
    let contender: Contender
    /// The size of the list, the number of threads, or the number of replayed keys.
    let size: Int
    /// The number of edits of each kind, of commits, or of undos.
    let count: Int
    /// The folder for files.
    let folder: String

    /// The file of the list.
    var path: String { folder + "/list" }

    private static let verb = "measure"

    /// The arguments, without the name of the program.
    var arguments: [String] {
        [MeasureOrder.verb, workload.rawValue, contender.rawValue, String(size), String(count), folder]
    }
}

extension MeasureOrder {
    /// The order in the arguments of this process; nil if they are not an order.
    init?(_ arguments: [String]) {
        guard arguments.count == 7, arguments[1] == MeasureOrder.verb, let workload = Workload(rawValue: arguments[2]),
            let contender = Contender(rawValue: arguments[3]), let size = Int(arguments[4]),
            let count = Int(arguments[5])
        else { return nil }
        (self.workload, self.contender, self.size, self.count) = (workload, contender, size, count)
        folder = arguments[6]
    }

    /// Measures, and prints the results.
    func carryOut() throws {
        print(try Measurement.line(try workload.measure(self)))
    }
}
