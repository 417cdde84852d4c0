// Goes through all interleavings of the model of the journal, the shortest first.

import TestSupport
import Testing

@Suite("The protocol of the journal, as a model, in all interleavings")
struct JournalProtocolTests {
    /// With a journal of two entries, except for the last one. A long run has all kinds of faults at once.
    private static let bounds: [JournalModel.Bounds] =
        [
            .init(operations: 4, kills: 1, powerCuts: 1),
            .init(operations: 3, kills: 1, failures: 1, powerCuts: 1),
            .init(operations: 2, kills: 1, failures: 2, powerCuts: 1),
            .init(operations: 2, kills: 2, failures: 1, powerCuts: 2, slots: 3),
        ]
        + (Soak.isEnabled
            ? [
                .init(operations: 4, kills: 1, failures: 1, powerCuts: 1),
                .init(operations: 4, kills: 1, failures: 1, powerCuts: 1, slots: 3),
                .init(operations: 3, kills: 2, failures: 2, powerCuts: 1),
                .init(operations: 5, kills: 1, powerCuts: 1, slots: 3),
            ] : [])

    @Test("Three writers lose, repeat and take back nothing, whatever is killed or fails", arguments: bounds)
    func holds(_ bounds: JournalModel.Bounds) {
        var search = ModelSearch(JournalModel(bounds: bounds))
        search.run()
        #expect(search.counterexample == nil, "\(search.text)")
        #expect(search.stateCount > 5_000)
        if bounds.failures > 0 && bounds.kills > 0 && bounds.operations > 2 {
            let missing = JournalModel.Process.Step.allCases.filter { !search.steps.contains($0) }
            #expect(missing == [], "no process was ever there")
        }
    }

    @Test(
        "Without any one of its rules, the model has a counterexample",
        arguments: JournalModel.Flaw.allCases.filter { $0 != .comparesVersionsOnly })
    func needs(_ flaw: JournalModel.Flaw) {
        var model = JournalModel(
            bounds: .init(operations: 3, kills: 1, failures: 1, powerCuts: 1), flaws: [flaw])
        switch flaw {
        case .clearsOnce: model.bounds.failures = 2
        // All open the store again, so that the first commit is a transaction, after which its process is killed.
        case .opensBesideOthers, .opensUnpublished: model.bounds = .init(operations: 4, kills: 1, powerCuts: 1)
        // Nobody else may have the store open.
        case .opensInJournal: model.bounds = .init(operations: 4, kills: 1, powerCuts: 2)
        // The entry is in the database by then, if it was not only synced.
        case .clearsContinuedEntry: (model.flaws, model.bounds.powerCuts) = ([flaw, .publishesAfterSync], 0)
        default: break
        }
        var search = ModelSearch(model)
        search.run()
        #expect(search.counterexample != nil)
    }

    @Test("That entries are compared with more than the version is a second line of defence: the other rules suffice")
    func comparesVersionsOnly() {
        var model = JournalModel(
            bounds: .init(operations: 2, kills: 1, failures: 1, powerCuts: 1), flaws: [.comparesVersionsOnly])
        if Soak.isEnabled { model.bounds.operations = 4 }
        var search = ModelSearch(model)
        search.run()
        #expect(search.counterexample == nil, "\(search.text)")
    }
}

/// Visits each state of a model once, in the order of the number of steps.
struct ModelSearch {
    private let model: JournalModel
    private var states: [JournalModel.State] = []
    /// The state from which each was first reached.
    private var origins: [Int] = []
    /// The states by their hashes; of several with one hash, the later ones are at the numbers after it.
    private var numbers: [UInt64: Int] = [:]
    /// What a process ever did.
    private(set) var steps: Set<JournalModel.Process.Step> = []
    /// What happened, in as few steps as possible, and what is wrong then; nil if nothing is ever wrong.
    private(set) var counterexample: [String]?

    init(_ model: JournalModel) { self.model = model }

    var stateCount: Int { states.count }
    var text: String { counterexample.map { "\n" + $0.joined(separator: "\n") } ?? "" }

    mutating func run() {
        add(JournalModel.State(model.bounds), from: -1)
        var number = 0
        while number < states.count {
            if let problem = model.problem(states[number]) {
                counterexample = trace(number) + [problem.rawValue]
                return
            }
            for index in 0..<3 { steps.insert(states[number].processes[index].step) }
            let next = JournalModel.Steps(isNamed: false)
            model.next(states[number], next)
            for (_, state) in next.found { add(state, from: number) }
            number += 1
        }
    }

    private mutating func add(_ state: JournalModel.State, from origin: Int) {
        var (state, key) = state.sorted
        while let found = numbers[key] {
            if states[found] == state { return }
            key &+= 1
        }
        numbers[key] = states.count
        states.append(state)
        origins.append(origin)
    }

    /// What happened on the way to a state.
    private func trace(_ number: Int) -> [String] {
        var path = [number]
        while let first = path.last, origins[first] >= 0 { path.append(origins[first]) }
        var lines: [String] = []
        // The states in the list are sorted; here each process keeps its name.
        var state = JournalModel.State(model.bounds)
        for target in path.dropLast().reversed() {
            let next = JournalModel.Steps(isNamed: true)
            model.next(state, next)
            guard let step = next.found.first(where: { $0.state.sorted.state == states[target] }) else { break }
            lines.append(step.what)
            state = step.state
        }
        let slots = (0..<model.bounds.slots).map { state.journal[$0].value.text }.joined(separator: " ")
        return lines + [
            "database \(state.database.value.commits), journal \(slots);"
                + " acknowledged or published \(state.promised.commits), shown \(state.shown.commits)"
        ]
    }
}
