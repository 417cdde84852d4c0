// The results as JSON, with every sample, for programs.

import BenchSupport
import Foundation

extension Report {
    /// The results as JSON.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(Document(self)), as: UTF8.self)
        }
    }

    private struct Document: Encodable {
        let machine: MachineFacts
        let runs: Int
        let isQuick: Bool
        let sink: String
        let figures: [Line]

        init(_ report: Report) {
            machine = report.machine
            runs = report.runs
            isQuick = report.isQuick
            // As text, because a reader may store numbers as floating point.
            sink = String(report.sink, radix: 16)
            figures = report.figures.map(Line.init)
        }
    }

    private struct Line: Encodable {
        let name: String
        let unit: String
        let median: Double
        let minimum: Double
        let maximum: Double
        let samples: [Double]
        let peer: Peer?
        let target: Limit?
        let note: String?

        struct Peer: Encodable {
            let name: String
            let median: Double
            let samples: [Double]
            let ratio: Double
            let ratioKind: Figure.RatioKind
        }

        struct Limit: Encodable {
            let subject: Target.Subject
            let atMost: Double?
            let atLeast: Double?
            let isMet: Bool?
        }

        init(_ figure: Figure) {
            name = figure.name
            unit = figure.unit
            median = figure.median
            minimum = figure.samples.min()!
            maximum = figure.samples.max()!
            samples = figure.samples
            peer = figure.peer.map {
                Peer(
                    name: $0.name, median: Statistics.median($0.samples), samples: $0.samples, ratio: figure.ratio!,
                    ratioKind: $0.ratioKind)
            }
            target = figure.target.map {
                Limit(
                    subject: $0.subject, atMost: $0.isUpperLimit ? $0.limit : nil,
                    atLeast: $0.isUpperLimit ? nil : $0.limit, isMet: figure.isTargetMet)
            }
            note = figure.note
        }
    }
}
