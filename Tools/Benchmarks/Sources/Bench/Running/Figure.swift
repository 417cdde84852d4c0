// One line of the results: what was measured, all samples of it and of its peer, and what was asked for.

import BenchSupport

/// A measured figure.
struct Figure {
    /// What was measured, from the general to the particular, with slashes: `apply/insert/path/1M/no-snapshot`.
    let name: String
    /// What the samples are numbers of: `ns/edit`.
    let unit: String
    /// The samples, in the order in which they were taken.
    let samples: [Double]
    /// The same by other means.
    let peer: Peer?
    /// What was asked for.
    let target: Target?
    /// What one has to know to read the figure.
    let note: String?

    /// Who else was measured, alternately with the library.
    struct Peer {
        let name: String
        let samples: [Double]
        /// Which way the ratio of the two is given.
        let ratioKind: RatioKind
    }

    /// How a figure is compared with its peer's.
    enum RatioKind: String, Encodable {
        /// The library's divided by the peer's: 1.2 times the cost.
        case cost
        /// The peer's divided by the library's: 1,000 times as fast.
        case speedUp
    }

    /// The median of the samples.
    var median: Double { Statistics.median(samples) }

    /// The library and the peer compared, if there is a peer.
    var ratio: Double? {
        guard let peer else { return nil }
        let peerMedian = Statistics.median(peer.samples)
        return peer.ratioKind == .cost ? median / peerMedian : peerMedian / median
    }

    /// Whether the figure is as asked for; nil if nothing was, or if the peer it is about was not measured.
    var isTargetMet: Bool? {
        guard let target else { return nil }
        switch target.subject {
        case .median: return target.isMet(by: median)
        case .ratio: return ratio.map(target.isMet)
        }
    }
}
