// What libFuzzer calls. Always holds: the target is chosen once, by the variable LISTORY_FUZZ_TARGET.

import Foundation

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["LISTORY_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else { fatalError("there is no target \"\(name)\"") }
    return target
}()

/// Reads one input; ends the process if that shows a defect.
@_cdecl("listory_fuzz")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    do { try target.run(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {
        fatalError("\(target): \(error)")
    }
}

/// Writes the seeds of the target into the folder LISTORY_FUZZ_SEEDS; before that, the kept store if
/// LISTORY_FUZZ_REMAKE is set.
@_cdecl("listory_fuzz_seeds")
public func writeSeeds() {
    guard let folder = ProcessInfo.processInfo.environment["LISTORY_FUZZ_SEEDS"] else { return }
    do {
        if ProcessInfo.processInfo.environment["LISTORY_FUZZ_REMAKE"] != nil {
            try StoreTarget.makeBase(at: StoreTarget.basePath)
        }
        for (index, seed) in try target.seeds().enumerated() {
            try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(index)"))
        }
    } catch { fatalError("\(target): \(error)") }
}
