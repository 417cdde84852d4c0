// Takes the samples: one that does not count, then the rest, alternately with those of a peer.
//
// Always holds: a figure that the filter leaves out takes no time; its lists are not built either.

import BenchSupport
import Foundation

/// Takes and keeps the samples of all figures.
final class Runner {
    let sink = Sink()
    private(set) var figures: [Figure] = []
    private let runs: Int
    private let filter: String?
    private let isPatient: Bool

    /// - Parameters:
    ///   - runs: how many samples of a figure count.
    ///   - filter: a part of the names of the figures to measure; nil for all.
    ///   - isPatient: whether to measure peers that take minutes.
    init(runs: Int, filter: String?, isPatient: Bool) {
        self.runs = runs
        self.filter = filter
        self.isPatient = isPatient
    }

    /// The peer of a figure.
    struct Peer {
        let name: String
        let ratioKind: Figure.RatioKind
        /// Whether a sample takes so long that there is only one.
        var isSampledOnce = false
        /// Takes one sample, in the unit of the figure.
        let sample: () throws -> Double
    }

    /// Whether a figure is to be measured.
    func wants(_ name: String) -> Bool { filter.map(name.contains) ?? true }

    /// How a slow peer is sampled.
    enum Patience {
        case often, once, never
    }

    /// How a peer is sampled.
    ///
    /// - Parameters:
    ///   - seconds: the expected time of a sample.
    ///   - longest: the longest allowed time.
    func patience(_ seconds: Double, longest: Double) -> Patience {
        seconds <= longest ? .often : isPatient ? .once : .never
    }

    /// Measures a figure, unless the filter leaves it out.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - unit: the unit of the samples.
    ///   - target: its target.
    ///   - peer: the peer to measure alternately with it.
    ///   - note: returns an explanation of the figure after the measurement; nil for none.
    ///   - sample: takes one sample.
    func measure(
        _ name: String, unit: String, target: Target? = nil, peer: Peer? = nil,
        note: () -> String? = { nil }, _ sample: () throws -> Double
    ) throws {
        guard wants(name) else { return }
        _ = try sample()
        if let peer, !peer.isSampledOnce { _ = try peer.sample() }
        var samples: [Double] = []
        var peerSamples: [Double] = []
        for run in 0..<runs {
            samples.append(try sample())
            if let peer, run == 0 || !peer.isSampledOnce { peerSamples.append(try peer.sample()) }
        }
        let measuredPeer = peer.map { Figure.Peer(name: $0.name, samples: peerSamples, ratioKind: $0.ratioKind) }
        add(Figure(name: name, unit: unit, samples: samples, peer: measuredPeer, target: target, note: note()))
    }

    /// Calls `body` for one sample that does not count and then for the rest, for several figures that are measured in
    /// one run.
    ///
    /// - Parameter body: takes the samples, and keeps them if they count.
    func repeatedly(_ body: (_ counts: Bool) throws -> Void) rethrows {
        try body(false)
        for _ in 0..<runs { try body(true) }
    }

    /// Adds a figure whose samples were taken by ``repeatedly(_:)``, unless the filter leaves it out.
    func add(_ figure: Figure) {
        guard wants(figure.name) else { return }
        figures.append(figure)
        let line = "\(figure.name): \(NumberText.text(figure.median)) \(figure.unit)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
