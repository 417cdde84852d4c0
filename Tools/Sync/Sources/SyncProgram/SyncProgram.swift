// The program `listory-sync`, which `listory sync` and `Tools/run cluster` become.
//
// Always holds: no address is printed, because it may have a password in it; except those of the servers on loopback. What servers and
// others have written is printed without characters that change a terminal.

import ArgumentParser
import Foundation
import ListModel
import Listory
import ListorySync
import LogServers
import SharedLog
import SharedLogs
import Synchronization
import ToolSupport

@main
struct SyncProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listory sync",
        abstract: "Keep a store and a shared log together.",
        discussion: """
            Several devices keep one list: each has a store, and between them stands a log on a PostgreSQL or a NATS server. A store \
            that has never been synchronised sends all its commits; a file that is not there is made from the log.

            A server on another machine has to prove its name. For PostgreSQL, sslrootcert names the file of the certificates to \
            trust; with NATS, tls:// trusts those of the system, and ca=FILE others as well.

            Example:
              listory sync todo.listory --with 'postgresql://anna@example.org/lists?sslrootcert=ca.pem' --list groceries
              listory sync todo.listory --with tls://example.org --list groceries --follow
              listory sync status todo.listory
              listory sync verify todo.listory --with tls://example.org --list groceries
            """,
        subcommands: [ExchangeCommand.self, StatusCommand.self, VerifyLogCommand.self, ClusterCommand.self],
        defaultSubcommand: ExchangeCommand.self)

    static func main() async {
        Standard.ignoreBrokenPipes()
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// Prints an error and ends the process, as the tool does.
    private static func end(_ error: any Error) -> Never {
        let isJSON = CommandLine.arguments.contains("--json")
        switch exitCode(for: error) {
        case .success:
            // Asking for help is no error.
            exit(withError: error)
        case .validationFailure:
            let text = StoreArgument.withoutAddresses(message(for: error))
            let line = Diagnostic.line(text + " (see listory sync --help-all)")
            write(isJSON ? Diagnostic.json(usage: text) : Array(line.utf8))
            endProcess(.usage)
        default:
            let error = ofTool(error)
            write((isJSON ? Diagnostic.json(error) : Diagnostic.line(error).map { Array($0.utf8) }) ?? [])
            endProcess(ExitStatus(error))
        }
    }

    private static func write(_ bytes: [UInt8]) { try? Standard.error.write(bytes) }
}

// The name of the function of the C library is that of a member of every command.
private func endProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// What stops an exchange, as an error of the tool.
private func ofTool(_ error: any Error) -> any Error {
    let status: ExitStatus
    switch error {
    case SyncProblem.server(let error): return ofTool(error)
    case SyncProblem.store(let error): return error
    case SyncProblem.forked, SyncProblem.otherLog, SyncProblem.wrongKey: status = .refused
    // Of a newer release, or damaged.
    case SyncProblem.unacceptable(_, let cause as RecordError): status = ExitStatus(cause)
    case is SyncProblem: status = .damaged
    case let error as SharedLogError:
        switch error {
        case .unavailable, .closed: status = .inputOutput
        case .damaged: status = .damaged
        case .notFound, .futureFormat: status = .unusable
        case .tooLarge, .refused, .invalidAddress: status = .refused
        }
    default: return error
    }
    return ToolError(status, "\(error)".visible)
}

/// The argument that every command but one has.
struct StoreArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The file of the store.", valueName: "store"), completion: .file())
    var path: String

    func validate() throws {
        if StoreArgument.isAddress(path) {
            throw ValidationError("The store has to be a file: write --with before the address.")
        }
    }

    private static func isAddress(_ argument: some StringProtocol) -> Bool { argument.contains("://") }

    /// A text that may quote an argument which is in the wrong place, without the addresses among the arguments.
    fileprivate static func withoutAddresses(_ text: String) -> String {
        let addresses = CommandLine.arguments.filter(isAddress).flatMap { argument in
            // After `--follow=`, only the value is quoted.
            [argument[...]] + (argument.hasPrefix("-") ? argument.split(separator: "=", maxSplits: 1).dropFirst() : [])
        }
        return addresses.sorted { $0.count > $1.count }.reduce(text) { text, address in
            text.split(separator: address, omittingEmptySubsequences: false).joined(separator: "…")
        }
    }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print results and errors as JSON.")
    var json = false

    /// Writes a line at once.
    ///
    /// - Throws: ``ToolError`` without a text if nobody reads it any more.
    func write(_ line: String) throws { try Standard.output.write(line + "\n") }

    /// - Parameter repairCount: how many repairs of the log were written before.
    func write(_ state: SyncState, after repairCount: Int = 0) throws {
        guard json else {
            try write(state.line.visible)
            for repair in state.repairs.dropFirst(repairCount) { try write("\(repair)") }
            return
        }
        struct Report: Encodable {
            var phase: String
            var problem: String?
            var confirmed: UInt64
            var waiting: UInt64
            var setAside: Int
            var snapshotProblem: String?
            var repairs: [String]?
        }
        let repairs = state.repairs.map { "\($0)" }
        let report = Report(
            phase: state.name, problem: state.problem?.visible, confirmed: state.confirmed.rawValue,
            waiting: state.waitingCount, setAside: state.setAsideCount,
            snapshotProblem: state.snapshotFailure.map { "\($0)".visible }, repairs: repairs.isEmpty ? nil : repairs)
        try write(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}

/// The store, the server, the list, and the key.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the server: postgresql://…, tls://… or nats://…. Without it, that in the environment variable LISTORY_SYNC_URL, "
                + "which other users of this machine cannot see.", valueName: "url"))
    var with: String?

    @Option(help: "The name of the list on the server.")
    var list: String

    @Option(
        help: ArgumentHelp(
            "A file with the key of 32 bytes, in hexadecimal digits, with which all commits are encrypted.",
            valueName: "file"))
    var keyFile: String?

    func log(createsList: Bool = true) throws -> any SharedLog {
        guard let url = with ?? ProcessInfo.processInfo.environment["LISTORY_SYNC_URL"] else {
            throw ValidationError("Say where the log is: --with URL, or the environment variable LISTORY_SYNC_URL.")
        }
        return try SharedLogs.open(url, list: list, createsList: createsList)
    }

    func options() throws -> Replica.Options {
        var options = Replica.Options()
        guard let keyFile else { return options }
        let digits = try String(contentsOfFile: keyFile, encoding: .utf8).filter { !$0.isWhitespace }.map(
            \.hexDigitValue)
        // A key that was cut off is another key.
        guard digits.count == 64, !digits.contains(nil) else {
            throw SyncProblem.wrongKey("\(keyFile) has other characters than 64 hexadecimal digits")
        }
        options.key = try SyncKey(
            bytes: stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0]! * 16 + digits[$0 + 1]!) })
        return options
    }
}

/// Exchanges commits once, or from now on.
struct ExchangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange", abstract: "Send and read commits; the default.")

    @OptionGroup var file: StoreArgument
    @OptionGroup var server: LogOptions
    @OptionGroup var output: OutputOptions
    @Flag(help: "Go on until interrupted, and print each change of the state.")
    var follow = false
    @Flag(
        help:
            "If the log has lost commits and others have gone on, make those that only this replica has pending again. What cannot be merged is set aside."
    )
    var heal = false

    func run() async throws {
        let (log, options) = (try server.log(), try server.options())
        try await Replica.beginWithSnapshot(at: file.path, log, list: server.list, options: options)
        while true {
            let store = try await Stores.openOrCreate(file.path)
            let replica = try Replica(store, log, list: server.list, options: options)
            do {
                if follow {
                    try await watch(replica)
                } else {
                    try await replica.synchronize()
                    try output.write(replica.state)
                }
                return try store.close()
            } catch SyncProblem.forked(let number) where heal {
                try store.close()
                try Replica.retreat(storeAt: file.path, after: number)
                if !output.json { try output.write("the commits after \(number) are pending again") }
            } catch {
                try? store.close()
                throw error
            }
        }
    }

    /// Prints the states until the replica stops, or nobody reads them any more.
    private func watch(_ replica: Replica) async throws {
        let output = output
        let told = Mutex((line: "", repairCount: 0))
        let tell: @Sendable (SyncState) throws -> Void = { state in
            try told.withLock { told in
                if state.line == told.line && state.repairs.count == told.repairCount { return }
                try output.write(state, after: told.repairCount)
                told = (state.line, state.repairs.count)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await state in replica.states { try tell(state) } }
            group.addTask { await replica.follow() }
            try await group.next()
            group.cancelAll()
        }
        // It may have stopped before the last states were read.
        try tell(replica.state)
        if case .stopped(let problem) = replica.state.phase { throw problem }
    }
}

/// Says how far a replica is, without asking the log.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print how far a store is synchronised.")

    @OptionGroup var file: StoreArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.write(Stores.status(file.path, isJSON: output.json))
    }
}

/// Reads the whole log.
struct VerifyLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read the whole shared log, and compare it with the store.")

    @OptionGroup var file: StoreArgument
    @OptionGroup var server: LogOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (log, options) = (try server.log(createsList: false), try server.options())
        let store = try Stores.openReplica(file.path)
        defer { try? store.close() }
        let replica = try Replica(store, log, list: server.list, options: options)
        let count = try await replica.verifyLog()
        let text = "the shared log has \(count) commits; those that are confirmed here are the same"
        try output.write(output.json ? #"{"commits":\#(count)}"# : text)
    }
}

/// Servers to try it.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Start three NATS servers and a PostgreSQL pair on loopback, until interrupted.")

    @Flag(help: "End when the input ends, for programs that start this one.")
    var untilInputEnds = false

    func run() throws {
        let nats = try NATSCluster()
        let postgres = try PostgresPair(password: String(UInt64.random(in: .min ... .max), radix: 36))
        print(
            """
            Three NATS servers, and a PostgreSQL server with a standby, run until this program is interrupted. In two other terminals:

              LISTORY_SYNC_URL="\(postgres.url)" Tools/run sync first.listory --list demo --follow
              LISTORY_SYNC_URL="\(postgres.url)" Tools/run sync second.listory --list demo --follow

            They make two replicas of a list. Edit them in two more terminals, beside the first ones; ? shows the keys:

              Tools/run edit first.listory          Tools/run edit second.listory

            What is edited in one appears in the other. Other apps join in the same way, each with a list and replicas of its own:

              Tools/example window.listory
              swift run --package-path Tools/Examples/TodoServer todo-server browser.listory

            NATS has the address

              \(nats.url)?replicas=3
            """)
        fflush(nil)
        // The servers end with this process.
        if untilInputEnds {
            _ = try? FileHandle.standardInput.readToEnd()
        } else {
            withExtendedLifetime((nats, postgres)) { while true { pause() } }
        }
        for server in nats.servers { server.end() }
        postgres.end()
    }
}

extension SyncState {
    /// The phase in a word.
    var name: String {
        switch phase {
        case .unknown: "unknown"
        case .upToDate: "up to date"
        case .working: "exchanging"
        case .offline: "offline"
        case .stopped: "stopped"
        }
    }

    /// Why it is offline or has stopped.
    var problem: String? {
        switch phase {
        case .offline(let since, let cause): "since \(since): \(cause)"
        case .stopped(let problem): "\(problem)"
        default: nil
        }
    }

    /// The state in a line.
    var line: String {
        let problem = problem.map { " (\($0))" } ?? ""
        let aside = setAsideCount == 0 ? "" : ", \(setAsideCount) set aside"
        let snapshot = snapshotFailure.map { "; the snapshot for new devices could not be offered: \($0)" } ?? ""
        return
            "\(name)\(problem); version \(confirmed) is in the shared log, \(waitingCount) commits wait\(aside)\(snapshot)"
    }
}
