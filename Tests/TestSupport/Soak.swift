// How long the tests run. Fast by default; `LISTORY_SOAK=1` makes the random ones ten times as long.

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
}
