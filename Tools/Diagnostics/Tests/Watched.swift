// A store, and what it has reported to a log and to metrics that the tests read.

import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import TestSupport
import Testing

@testable import Listory

/// A store whose reports are read. No report has the word `SECRET`, which is in everything that is written into it.
final class Watched {
    private static let log: InMemoryLogHandler = {
        var log = InMemoryLogHandler()
        log.logLevel = .trace
        LoggingSystem.bootstrap { [log] _ in AnsweringHandler(log: log) }
        return log
    }()
    private static let metrics: TestMetrics = {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    /// What the handler does when it has an event, by the label of the store and the name of the event.
    fileprivate static let answers = Locked<[String: @Sendable () -> Void]>([:])

    let label: String
    let folder: TemporaryFolder
    let path: String
    var options = StoreOptions()

    init(_ label: String) throws {
        (_, _) = (Watched.log, Watched.metrics)
        self.label = label
        folder = try TemporaryFolder.inMemory()
        path = folder.file("SECRET")
        options.label = label
        // No test depends on how fast the machine is.
        options.slowEditThreshold = .seconds(3_600)
        options.checkpoints.atClose = false
        options.deferredDelay = .seconds(3_600)
    }

    /// A new store with the rows 0, 1 and 2.
    func create() throws -> UntypedStore {
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("SECRET edit", origin: "SECRET author") { list in
            let rows = (0..<3).map { NewRow(id: .integer($0), content: Watched.content) }
            try list.insertSection(NewSection(id: "SECRET section", title: "SECRET title", items: rows))
        }
        return store
    }

    static let content = Array("SECRET content".utf8)

    /// The metadata of the events of a name, without the label and the durations, and with the level and the message.
    func events(_ name: String) -> [[String: String]] {
        entries.filter { $0.metadata["event"] == "\(name)" }.map { entry in
            var fields = entry.metadata.mapValues { "\($0)" }
            for key in ["event", "store", "waiting.ms"] { fields[key] = nil }
            // How long it takes cannot be known; that it is said can.
            if let duration = fields.removeValue(forKey: "duration.ms") { #expect(Double(duration) ?? -1 >= 0) }
            fields["level"] = "\(entry.level)"
            return fields
        }
    }

    private var entries: [InMemoryLogHandler.Entry] {
        Watched.log.entries.filter { $0.metadata["store"] == "\(label)" }
    }

    /// Lets the handler call `body` when it has an event.
    func answer(_ event: String, _ body: @escaping @Sendable () -> Void) {
        Watched.answers.withLock { $0["\(label) \(event)"] = body }
    }

    func counter(_ name: String) throws -> Int64 {
        try Watched.metrics.expectCounter("listory.\(name)", dimensions).totalValue
    }

    func recorded(_ name: String) throws -> [Double] {
        try Watched.metrics.expectRecorder("listory.\(name)", dimensions).values
    }

    /// How many durations a timer has.
    func times(_ name: String) throws -> Int {
        let values = try Watched.metrics.expectTimer("listory.\(name)", dimensions).values
        #expect(values.allSatisfy { $0 > 0 })
        return values.count
    }

    private var dimensions: [(String, String)] { [("store", label)] }

    /// Nothing of the list, no name, author or path is in a report.
    func expectNoSecrets() {
        #expect(!entries.isEmpty)
        for entry in entries { #expect(!"\(entry)".contains("SECRET")) }
        let names = Watched.metrics.counters.flatMap { [$0.label] + $0.dimensions.flatMap { [$0.0, $0.1] } }
        #expect(!names.contains { $0.contains("SECRET") })
    }
}

/// A handler that may do more than to keep the events.
private struct AnsweringHandler: LogHandler {
    var log: InMemoryLogHandler

    var metadata: Logger.Metadata {
        get { log.metadata }
        set { log.metadata = newValue }
    }
    var logLevel: Logger.Level {
        get { log.logLevel }
        set { log.logLevel = newValue }
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { log[metadataKey: key] }
        set { log[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        log.log(event: event)
        guard let store = metadata["store"], let name = event.metadata?["event"] else { return }
        Watched.answers.withLock { $0["\(store) \(name)"] }?()
    }
}
