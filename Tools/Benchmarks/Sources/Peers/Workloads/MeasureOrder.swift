// What a measuring process is told, and how: by its arguments, in a fixed order, because a parser of options would take
// longer than opening a store.
//
// Always holds: `arguments` and `init` agree.

/// One sample to take.
struct MeasureOrder {
    let workload: Workload
    let contender: Contender
    /// How large the list is; how many threads there are; how many keys are replayed.
    let size: Int
    /// How many edits are made of each kind, how many commits, how many undos.
    let count: Int
    /// Where files are made.
    let folder: String

    /// The file of the list.
    var path: String { folder + "/list" }

    private static let verb = "measure"

    /// The arguments, without the name of the program.
    var arguments: [String] {
        [MeasureOrder.verb, workload.rawValue, contender.rawValue, String(size), String(count), folder]
    }

    init(_ job: Job, folder: String) {
        (workload, contender, size, count) = (job.workload, job.contender, job.size, job.count)
        self.folder = folder
    }

    /// What the arguments of this process say, or nil if they say something else.
    init?(_ arguments: [String]) {
        guard arguments.count == 7, arguments[1] == MeasureOrder.verb, let workload = Workload(rawValue: arguments[2]),
            let contender = Contender(rawValue: arguments[3]), let size = Int(arguments[4]),
            let count = Int(arguments[5])
        else { return nil }
        (self.workload, self.contender, self.size, self.count) = (workload, contender, size, count)
        folder = arguments[6]
    }

    /// Measures, and prints what was measured.
    func carryOut() throws {
        print(try Measurement.line(try workload.measure(self)))
    }
}
