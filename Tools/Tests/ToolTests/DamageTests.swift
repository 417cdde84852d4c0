// Tests commands on damaged stores: after any damage, a command ends with an exit code and not by a crash.

import Foundation
import Testing
import ToolSupport

@Suite struct DamageTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]
    /// The output of `show` for the undamaged store.
    private let rows: String

    init() throws {
        folder = try TemporaryFolder()
        let store = folder.file("sound")
        let lines = (0..<300).map { "{\"content\":{\"title\":\"row \($0)\"}}\n" }.joined()
        _ = try ToolProcess.run("import", store, "-", "--format", "jsonl", input: lines)
        let toggles = (1...300).map { "{\"toggle\":{\"id\":\($0)}}\n" }.joined()
        _ = try ToolProcess.run("exec", store, input: toggles)
        rows = try ToolProcess.run("show", store).output
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: store)))
    }

    /// Kinds of damage, each at some place of the file.
    enum Damage: CaseIterable {
        case bit, pageHeader, zeroedPage, truncation

        func apply(to bytes: inout [UInt8], at place: Int) {
            let page = place / 4_096 * 4_096
            switch self {
            case .bit: bytes[place] ^= 1 << (place % 8)
            case .pageHeader: bytes[page + place % 16] &+= 1
            case .zeroedPage: bytes.replaceSubrange(page..<page + 4_096, with: repeatElement(0, count: 4_096))
            case .truncation: bytes.removeLast(bytes.count - place)
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `A damaged store is recognised or shows what it should`(damage: Damage) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var state = seed
        for round in 0..<12 {
            // Knuth's generator, so that a failure can be repeated with its seed.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var copy = bytes
            damage.apply(to: &copy, at: 1 + Int((state >> 33) % UInt64(bytes.count - 1)))
            let path = folder.file("damaged")
            try Data(copy).write(to: URL(fileURLWithPath: path))
            let shown = try ToolProcess.run("show", path)
            let verified = try ToolProcess.run("verify", path)
            for result in [shown, verified] {
                #expect(
                    result.status == .success || result.status == .damaged || result.status == .unusable,
                    "seed \(seed), round \(round): \(result.errors)")
            }
            #expect(shown.status != .success || shown.output == rows, "seed \(seed), round \(round)")
            // If a store cannot be shown, verifying must fail.
            #expect(shown.status == .success || verified.status != .success, "seed \(seed), round \(round)")
        }
    }
}
