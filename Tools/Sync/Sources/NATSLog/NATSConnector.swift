// Connecting to NATS servers.
//
// nats.c has no deadline for a TLS handshake, and none for the look-up of a host. So each attempt has a thread of its own, which is left
// alone if it takes too long. When it ends, it frees what it has made.
//
// Always holds: a call waits as long as the servers may take, and no longer; few threads are left alone for one log,
// however long a server is silent.

import CNATS
import Dispatch
import Foundation
import SharedLog
import Synchronization

/// Makes the connections of one log.
struct NATSConnector {
    private let address: NATSAddress
    private let timeout: Duration
    private let connectTimeout: Duration
    private let events: NATSEvents
    /// Attempts that were left alone and have not ended.
    private var abandoned: [Abandoned] = []
    private var lastAbandonment = ContinuousClock.now
    private var connectedAt = ContinuousClock.now
    /// After attempts that failed, and after connections that did not last.
    private var (pause, lossPause) = (GrowingPause(), GrowingPause())
    private var lastError: SharedLogError?

    private struct Abandoned {
        /// Its thread keeps it as long as it runs.
        weak var attempt: NATSAttempt?
    }

    init(_ address: NATSAddress, timeout: Duration, connectTimeout: Duration, events: NATSEvents) {
        (self.address, self.timeout, self.connectTimeout, self.events) = (address, timeout, connectTimeout, events)
    }

    private static let silence = SharedLogError.unavailable(cause: "no server has answered an attempt to connect")

    /// Makes a connection, unless the servers are to be left alone just now.
    mutating func connect() throws -> NATSConnection {
        if max(pause.remaining, lossPause.remaining) > .zero, let lastError { throw lastError }
        guard mayTry else { throw lastError ?? NATSConnector.silence }
        do {
            let connection = try attempt()
            (connectedAt, lastError) = (.now, nil)
            return connection
        } catch {
            noteFailure(error)
            throw error
        }
    }

    /// Notes that the connection can be used.
    mutating func noteSuccess() { pause.succeeded() }

    /// Notes that there is no connection that can be used.
    mutating func noteFailure(_ error: any Error) {
        pause.failed()
        lastError = (error as? NATSFailure)?.error ?? error as? SharedLogError
    }

    /// Notes that the connection was lost. Something in the way may end each as soon as much is sent: then they come after longer pauses.
    mutating func noteLoss() {
        guard ContinuousClock.now - connectedAt < .seconds(5) else { return lossPause.succeeded() }
        lossPause.failed()
        lastError = .unavailable(cause: "the connection ended soon after it was made")
    }

    /// Whether the attempts that were left alone allow another one.
    ///
    /// After a change of the network, one may never end, so there have to be others. Each may keep a thread and a socket for ever, so the
    /// pause is twice as long when all servers have been silent once more, up to five minutes: then the network may be a good one again.
    private var mayTry: Bool {
        let count = abandoned.count { $0.attempt != nil }
        let pause = Duration.seconds(5 << min(count / address.servers.count, 6))
        return count == 0 || ContinuousClock.now - lastAbandonment >= pause
    }

    /// Makes a connection to one of the servers. Each has an attempt of its own: nats.c would not come to those behind one that is silent.
    private mutating func attempt() throws -> NATSConnection {
        abandoned.removeAll { $0.attempt == nil }
        var failure: NATSFailure?
        for server in address.servers.shuffled() {
            var address = address
            address.servers = [server]
            let attempt = NATSAttempt { [address, timeout, connectTimeout, events] in
                try NATSConnection(address, timeout: timeout, connectTimeout: connectTimeout, events: events)
            }
            do {
                // nats.c ends the attempt by itself unless it meets one of the two that have no deadline.
                if let connection = try attempt.wait(for: connectTimeout + .seconds(1)) { return connection }
                abandoned.append(Abandoned(attempt: attempt))
                lastAbandonment = .now
            } catch let error as NATSFailure {
                // Somebody has to do something about refused credentials.
                if failure?.status != NATS_CONNECTION_AUTH_FAILED { failure = error }
            }
        }
        throw failure ?? NATSConnector.silence
    }
}

/// An attempt to connect, on a thread of its own.
private final class NATSAttempt: Sendable {
    private let result = Mutex<Result<NATSConnection, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ connect: @escaping @Sendable () throws -> NATSConnection) {
        Thread.detachNewThread { [self] in
            let found = Result { try connect() }
            result.withLock { $0 = found }
            end.signal()
        }
    }

    /// The connection, once; nil if there is none in time.
    func wait(for time: Duration) throws -> NATSConnection? {
        guard end.wait(timeout: .now() + .milliseconds(Int(time.milliseconds))) == .success else { return nil }
        return try result.withLock { $0.take() }?.get()
    }
}
