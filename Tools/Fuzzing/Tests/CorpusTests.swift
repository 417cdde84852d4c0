// Reads every input that was kept once, without libFuzzer. An input with which a defect was found is kept for ever.

import Foundation
@testable import FuzzTargets
import Testing

@Suite("Kept inputs")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    private static func inputs(_ target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appendingPathComponent(target.rawValue), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }

    @Test(
        "Every kept input is read without a crash, and without an error that has no type",
        arguments: FuzzTarget.allCases)
    func keptInputs(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(target)
        #expect(inputs.count > 20)
        for input in inputs {
            let bytes = Array(try Data(contentsOf: input))
            #expect(throws: Never.self, "\(target) \(input.lastPathComponent)") { try target.run(bytes) }
        }
    }

    @Test("Every seed is read as well", arguments: FuzzTarget.allCases)
    func seeds(_ target: FuzzTarget) throws {
        for (index, seed) in try target.seeds().enumerated() {
            #expect(throws: Never.self, "\(target), seed \(index)") { try target.run(seed) }
        }
    }

    @Test("The kept store is sound, so that each input changes a sound file")
    func keptStore() throws {
        // After a change of the file format: Tools/fuzz --remake
        try StoreTarget.checkBase()
    }

    @Test("The control: a wrong result, and an error without a type of the library, are not taken for an answer")
    func control() {
        struct Untyped: Error {}
        for error in [BrokenPromise("wrong"), Untyped()] as [any Error] {
            #expect(throws: (any Error).self) { try answer { throw error } }
            #expect(throws: (any Error).self) { try StoreTarget.typed { throw error } }
            #expect(throws: (any Error).self) { try ImportTarget.typed { throw error } }
        }
    }
}
