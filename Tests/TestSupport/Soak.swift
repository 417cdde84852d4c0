// How long the tests run, and with which random choices. Fast by default; `LISTORY_SOAK=1` makes the random tests ten times
// as long. `Tools/soak` runs the tests of faults and of histories again and again instead, each time with another seed.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

public enum Soak {
    /// Whether the long tests run.
    public static let isEnabled = ProcessInfo.processInfo.environment["LISTORY_SOAK"] == "1"
    /// The factor for the number of random rounds.
    public static let factor = isEnabled ? 10 : 1

    private static let chosenSeed = ProcessInfo.processInfo.environment["LISTORY_SEED"].flatMap(UInt64.init)
    /// The seed of a test of faults or of histories: `LISTORY_SEED`, or a new one each time.
    public static var seed: UInt64 { chosenSeed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }

    /// Tells `Tools/soak` how many rounds have passed.
    public static func count(_ rounds: Int) {
        if chosenSeed != nil { print("\nsoaked \(rounds)") }
    }
}
