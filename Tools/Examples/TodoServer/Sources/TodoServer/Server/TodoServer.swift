// Parses the arguments, runs the server, and returns the exit code.
//
// Always holds: only programs on this machine can connect; the store is closed before the program ends, also after an
// interrupt.

import Foundation
import Hummingbird
import HummingbirdCore
import Listory
import Logging
import ServiceLifecycle

/// A server of one list as a program.
public enum TodoServer {
    static let usage = """
        usage: todo-server [--port PORT] [--until-input-ends] [FILE]

        Shows the to-do list in FILE to browsers on this machine, and keeps them in step. FILE is made if it does not
        exist. Without FILE, the list is kept in the user's data folder, where todo-window keeps its own. Without PORT,
        8080 is used; 0 takes any that is free. The address is printed. With --until-input-ends, the server stops when
        its standard input ends, as it does on an interrupt.
        """

    /// Runs the program until it is interrupted.
    ///
    /// - Returns: the exit code: 0, 64 for wrong arguments, 69 if the port cannot be used, 74 if the store cannot.
    public static func run(_ arguments: [String]) async -> Int32 {
        // A write to a closed pipe then fails instead of ending the server.
        signal(SIGPIPE, SIG_IGN)
        if arguments == ["--help"] || arguments == ["-h"] {
            print(usage)
            return 0
        }
        guard let options = Options(arguments) else {
            complain(usage)
            return 64
        }
        let store: TodoStore
        do {
            store = try TodoStore.openTodos(at: try options.file ?? defaultPath())
        } catch {
            complain("\(options.file ?? "The list"): \(error)")
            return 74
        }
        var code: Int32 = 0
        do { try await serve(store, options) } catch {
            complain("Port \(options.port): \(error)")
            code = 69
        }
        do { try store.close() } catch ListError.closed {} catch {
            complain("\(store.path): \(error)")
            code = 74
        }
        return code
    }

    private static func serve(_ store: TodoStore, _ options: Options) async throws {
        var application = Application(
            responder: TodoResponder(store: store),
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .hostname("127.0.0.1", port: options.port),
                availableConnectionsDelegate: MaximumAvailableConnections(2 * StreamLimit.maximum)),
            onServerRunning: { channel in
                print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/")
                fflush(nil)
            })
        application.logger.logLevel = .warning
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [Service(application: application, store: store)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: application.logger))
        if options.endsWithInput {
            Thread.detachNewThread {
                while let bytes = try? FileHandle.standardInput.read(upToCount: 4096), !bytes.isEmpty {}
                Task { await group.triggerGracefulShutdown() }
            }
        }
        try await group.run()
    }

    /// The server with its store.
    private struct Service: ServiceLifecycle.Service {
        let application: Application<TodoResponder>
        let store: TodoStore

        func run() async throws {
            // A server that stops waits for its answers to end. Closing the store ends the streams of changes.
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                do { try store.close() } catch { TodoServer.complain("\(store.path): \(error)") }
            }
        }
    }

    /// The arguments.
    private struct Options {
        var port = 8080
        var endsWithInput = false
        var file: String?

        /// - Returns: nil if the arguments are wrong.
        init?(_ arguments: [String]) {
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--port":
                    guard let port = rest.popFirst().flatMap(UInt16.init) else { return nil }
                    self.port = Int(port)
                case "--until-input-ends": endsWithInput = true
                default:
                    if argument.hasPrefix("-") || file != nil { return nil }
                    file = argument
                }
            }
        }
    }

    /// The default path of the store.
    private static func defaultPath() throws -> String {
        let folder = try FileManager.default
            .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            .appendingPathComponent("listory")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("todo.listory").path
    }

    /// Prints what is wrong, if somebody reads it. If nobody does, `write(_:)` of a file handle would end the process.
    static func complain(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
