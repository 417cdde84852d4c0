// Takes the samples: one that does not count, then the rest, alternately with those of a peer.
//
// Always holds: a figure whose name the filter leaves out costs nothing; neither are its lists built.

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
    ///   - filter: what the names of figures contain that are measured; nil for all.
    ///   - isPatient: whether peers are measured that take minutes.
    init(runs: Int, filter: String?, isPatient: Bool) {
        self.runs = runs
        self.filter = filter
        self.isPatient = isPatient
    }

    /// The other way to do what is measured.
    struct Peer {
        let name: String
        let ratioKind: Figure.RatioKind
        /// Whether a sample takes so long that there is one only.
        var isSampledOnce = false
        /// Takes one sample, in the unit of the figure.
        let sample: () throws -> Double
    }

    /// Whether a figure is to be measured.
    func wants(_ name: String) -> Bool { filter.map(name.contains) ?? true }

    /// How a peer is sampled that takes a time.
    enum Patience {
        case often, once, never
    }

    /// How a peer is sampled.
    ///
    /// - Parameters:
    ///   - seconds: how long a sample will probably take.
    ///   - longest: how long it may take.
    func patience(_ seconds: Double, longest: Double) -> Patience {
        seconds <= longest ? .often : isPatient ? .once : .never
    }

    /// Measures a figure, unless the filter leaves it out.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - unit: what the samples are numbers of.
    ///   - target: what is asked for.
    ///   - peer: what is measured alternately with it.
    ///   - note: what is known afterwards and needed to read the figure; nil for nothing.
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

    /// Calls `body` for one sample that does not count and then for the rest, for figures that come from one run
    /// together.
    ///
    /// - Parameter body: takes the samples, and keeps them if it is told that they count.
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
