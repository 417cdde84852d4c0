// Tests replicas over many seeds of the simulation.

import ListModel
import Listory
import ListorySync
import SharedLog
import TestSupport
import Testing

@Suite("Devices that share a list")
struct SimulationTests {
    /// Runs a simulation for each of some seeds, and returns the first failure.
    private func failure(
        seeds: Range<UInt64>, steps: Int, verifies: Bool = false, _ shape: @Sendable (UInt64) -> Simulation.Shape
    ) async -> String? {
        for seed in seeds {
            do {
                let simulation = try Simulation(seed: seed, shape(seed))
                try await simulation.run(steps: steps)
                try await simulation.settle()
                if verifies { try simulation.verify() }
            } catch {
                return "seed \(seed): \(error)"
            }
        }
        return nil
    }

    private let first = Soak.seed << 20

    @Test("Three devices, thirty steps: of 120 seeds, none ends with different lists, none stops, and no edit is lost or doubled")
    func threeDevices() async {
        let found = await failure(seeds: first..<first + 120, steps: 90, verifies: true) { _ in Simulation.Shape() }
        #expect(found == nil)
    }

    @Test("More devices, with rules that differ, packed logs, keys, and faults")
    func manyShapes() async {
        let found = await failure(seeds: first..<first + UInt64(60 * Soak.factor), steps: 200, verifies: true) { seed in
            var shape = Simulation.Shape(deviceCount: 3 + Int(seed % 6), faultPercent: Int(seed % 4) * 10)
            shape.isPacking = seed % 2 == 0
            if seed % 3 == 0 { shape.rules = { number in number == 0 ? [] : [.atMost(6 + number)] } }
            if seed % 5 == 0 { shape.key = SyncKey() }
            return shape
        }
        #expect(found == nil)
    }
}
