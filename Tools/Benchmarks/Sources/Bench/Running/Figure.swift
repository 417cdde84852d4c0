// One line of the results: a figure, all its samples and those of its peer, and its target.

import BenchSupport

/// A measured figure.
struct Figure {
    /// The name, from the general to the particular, with slashes: `apply/insert/path/1M/no-snapshot`.
    let name: String
    /// The unit of the samples: `ns/edit`.
    let unit: String
    /// The samples, in the order in which they were taken.
    let samples: [Double]
    /// The peer that was measured for comparison.
    let peer: Peer?
    /// The target.
    let target: Target?
    /// An explanation of the figure.
    let note: String?

    /// A peer that was measured alternately with the library.
    struct Peer {
        let name: String
        let samples: [Double]
        /// How the ratio of the two is computed.
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

    /// The ratio of the library and the peer, if there is a peer.
    var ratio: Double? {
        guard let peer else { return nil }
        let peerMedian = Statistics.median(peer.samples)
        return peer.ratioKind == .cost ? median / peerMedian : peerMedian / median
    }

    /// Whether the figure meets its target; nil if it has none, or if its peer was not measured.
    var isTargetMet: Bool? {
        guard let target else { return nil }
        switch target.subject {
        case .median: return target.isMet(by: median)
        case .ratio: return ratio.map(target.isMet)
        }
    }
}
