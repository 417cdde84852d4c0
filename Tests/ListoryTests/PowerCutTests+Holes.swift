// Tests power cuts while free pages are given back, on a file of LMDB whose last transaction a power cut may take back: pages of the
// version before the newest are still needed then.
//
// The stores of the other tests give free pages back as well. Their transactions are durable when they return, so only after a kill is the
// version before the newest needed.

#if os(Linux)
import Foundation
import LMDB
import TestSupport
import Testing

@testable import Listory

extension PowerCutTests {
    @Test("No version that a power cut leaves needs a page that was given back")
    func holes() throws {
        let seed = Soak.seed
        let spoiled = try Self.spoiled("holes", seed, runs: 12)
        #expect(spoiled.isEmpty, "seed \(seed)")
        Soak.count(12 * 40)
    }

    @Test("Is detected if pages are given back that the version before the newest needs: the test above can fail")
    func carelessHoles() throws {
        let seed = Soak.seed
        let spoiled = try Self.spoiled("careless-holes", seed, runs: 10)
        #expect(spoiled.count > 5, "seed \(seed)")
    }

    /// What is wrong with those of 40 images of each run that are not whole.
    private static func spoiled(_ work: String, _ seed: UInt64, runs: Int) throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        var spoiled: [String] = []
        for run in 0..<runs {
            let record = try record(work, generator.next() % 1_000_000, 40)
            for _ in 0..<40 {
                let moment = record.randomMoment(&generator)
                let kept: RecordedFolder.Kept = generator.oneIn(3) ? .nothing : .anything
                let image = record.image(before: moment, keeping: kept, &generator)
                do {
                    if try !isWhole(image) { spoiled.append("run \(run), \(moment): values are missing") }
                } catch { spoiled.append("run \(run), \(moment): \(error)") }
            }
        }
        return spoiled
    }

    /// Whether the file of an image is sound, has what the last transaction but one wrote, or a later one, and nothing else.
    private static func isWhole(_ image: WriteRecord.Image) throws -> Bool {
        let acknowledged = image.acknowledged["holes"]?.version.rawValue ?? 0
        let folder = try TemporaryFolder.inMemory()
        try image.write(to: folder)
        let path = folder.file("holes")
        // Nobody has synced the folder.
        if !Platform.exists(path) { return true }
        if try acknowledged < 2 && DataFile.isUnfinished(path) { return true }
        var options = Environment.Options()
        options.gate = .full
        let environment = try Environment.open(path: path, options: options)
        let rows = try environment.openDatabase(named: "rows", of: UInt64.self, [UInt8].self, create: true)
        return try environment.read { txn in
            let values = try txn.get(0, in: rows).map { ListedValues($0) } ?? ListedValues()
            guard values.numbers[0] + 1 >= acknowledged else { return false }
            return try values.numbers[0] == 0 || values.isWhole { try txn.get($0, in: rows) }
        }
    }
}
#endif
