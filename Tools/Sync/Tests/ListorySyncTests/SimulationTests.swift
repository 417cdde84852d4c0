// Tests replicas over many seeds of the simulation.

import ListModel
import Listory
import ListorySync
import TestSupport
import Testing

@Suite("Devices that share a list")
struct SimulationTests {
    /// Runs a simulation for each of some seeds, and returns the first failure.
    ///
    /// A simulation waits for nothing, so it keeps a thread of the tasks, of which there are as many as cores. With a lower priority it
    /// has others: tests with servers would wait for some simulations at each `await`, and miss their limits of time. Waiting for the
    /// task itself would give it the priority of the test.
    private func failure(
        seeds: Range<UInt64>, _ run: @escaping @Sendable (UInt64) async throws -> Void
    ) async -> String? {
        await withCheckedContinuation { continuation in
            Task.detached(priority: .utility) {
                for seed in seeds {
                    do { try await run(seed) } catch { return continuation.resume(returning: "seed \(seed): \(error)") }
                }
                Soak.count(seeds.count)
                continuation.resume(returning: nil)
            }
        }
    }

    private static let first = Soak.seed << 24

    private static func shape(_ seed: UInt64) -> Simulation.Shape {
        var shape = Simulation.Shape(deviceCount: 3, faultPercent: Int(seed % 4) * 10)
        shape.isPacking = seed % 5 == 0
        if seed % 3 == 0 { shape.rules = { number in number == 0 ? [] : [.atMost(6 + number)] } }
        if seed % 7 == 0 { shape.key = SyncKey() }
        shape.isDeferred = seed % 11 < 3
        return shape
    }

    @Test(
        "Three devices, thirty steps each: of 120 seeds, none ends with different lists, none stops, and no commit is lost or doubled"
    )
    func threeDevices() async {
        let found = await failure(seeds: Self.first..<Self.first + 120) { seed in
            let simulation = try Simulation(seed: seed)
            try await simulation.run(steps: 90)
            try await simulation.settle()
            try simulation.verify()
        }
        #expect(found == nil)
    }

    @Test("More devices, more steps")
    func manyDevices() async {
        let found = await failure(seeds: Self.first..<Self.first + 20) { seed in
            var shape = Self.shape(seed)
            shape.deviceCount = 3 + Int(seed % 6)
            let simulation = try Simulation(seed: seed, shape)
            try await simulation.run(steps: 200)
            try await simulation.settle()
            try simulation.verify()
        }
        #expect(found == nil)
    }

    @Test(
        "Twenty thousand short runs, with rules that differ, packed logs, keys and faults",
        arguments: 0..<8 as Range<UInt64>)
    func manySeeds(part: UInt64) async {
        let count: UInt64 = 20_000 / 8
        let first = Self.first + part * count
        let found = await failure(seeds: first..<first + count) { seed in
            let simulation = try Simulation(seed: seed, Self.shape(seed))
            try await simulation.run(steps: 16)
            try await simulation.settle()
            if seed % 16 == 0 { try simulation.verify() }
        }
        #expect(found == nil)
    }

    @Test(
        "A log that lies, in a thousand ways: each is noticed, and no commit is lost that a device has",
        arguments: 0..<4 as Range<UInt64>)
    func lyingLogs(part: UInt64) async {
        let count: UInt64 = 250
        let first = Self.first + part * count
        let found = await failure(seeds: first..<first + count) { seed in
            var shape = Self.shape(seed)
            shape.faultPercent = 0
            let simulation = try Simulation(seed: seed, shape)
            try await simulation.run(steps: 30)
            try await simulation.lie()
            try await simulation.run(steps: 20)
            try await simulation.settle()
            if seed % 8 == 0 { try simulation.verify() }
        }
        #expect(found == nil)
    }
}
