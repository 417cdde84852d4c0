// Connecting to NATS servers.
//
// nats.c has no deadline for a TLS handshake, and none for the look-up of a host. So each attempt has a thread of its own, which is left
// alone if it takes too long. When it ends, it frees what it has made.
//
// Always holds: a call waits as long as the servers may take, and no longer; few threads are left alone for one server,
// however long it is silent, and the others are tried as if it were not there.

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
    /// For each server, attempts that were left alone, and when the last one was.
    private var abandoned: [String: (attempts: [Abandoned], last: ContinuousClock.Instant)] = [:]
    private var connectedAt = ContinuousClock.now
    /// After attempts that failed, and after connections that did not last.
    private var (pause, lossPause) = (GrowingPause(), GrowingPause())
    /// After a server was connected, and could not say where the stream is.
    private var askingPause = GrowingPause(longest: .seconds(2))
    private var lastError: SharedLogError?

    private struct Abandoned {
        /// Its thread keeps it as long as it runs.
        weak var attempt: NATSAttempt?
    }

    init(_ address: NATSAddress, timeout: Duration, connectTimeout: Duration, events: NATSEvents) {
        (self.address, self.timeout, self.connectTimeout, self.events) = (address, timeout, connectTimeout, events)
    }

    private static let silence = SharedLogError.unavailable(cause: "no server has answered an attempt to connect")

    /// Returns the connection that there is, or makes one, unless the servers are to be left alone just now.
    mutating func connect(_ present: NATSConnection?) throws -> NATSConnection {
        if let present {
            if askingPause.remaining > .zero, let lastError { throw lastError }
            return present
        }
        if max(pause.remaining, lossPause.remaining) > .zero, let lastError { throw lastError }
        guard address.servers.contains(where: { mayTry($0) }) else { throw lastError ?? NATSConnector.silence }
        do {
            let connection = try attempt()
            (connectedAt, lastError) = (.now, nil)
            askingPause.succeeded()
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

    /// Notes that the server could not say where the stream is.
    ///
    /// - Returns: whether to keep the connection. A cluster that chooses a leader cannot say it for some seconds, on no connection; but
    ///   a server that is cut off from the others cannot as long as it is, and they may.
    mutating func keeps(after error: any Error) -> Bool {
        askingPause.failed()
        lastError = (error as? NATSFailure)?.error
        return address.servers.count == 1 || ContinuousClock.now - connectedAt < .seconds(15)
    }

    /// Notes that the connection was lost. Something in the way may end each as soon as much is sent: then they come after longer pauses.
    mutating func noteLoss() {
        guard ContinuousClock.now - connectedAt < .seconds(5) else { return lossPause.succeeded() }
        lossPause.failed()
        lastError = .unavailable(cause: "the connection ended soon after it was made")
    }

    /// Whether the attempts to connect to a server that were left alone allow another one.
    ///
    /// After a change of the network, one may never end, so there have to be others. Each may keep a thread and a socket for ever, so the
    /// pause is twice as long after each, up to five minutes: then the network may be a good one again.
    private func mayTry(_ server: String) -> Bool {
        guard let (attempts, last) = abandoned[server] else { return true }
        let count = attempts.count { $0.attempt != nil }
        return count == 0 || ContinuousClock.now - last >= .seconds(5 << min(count, 6))
    }

    /// Makes a connection to one of the servers. Each has an attempt of its own: nats.c would not come to those behind one that is silent.
    private mutating func attempt() throws -> NATSConnection {
        var failure: NATSFailure?
        for server in address.servers.shuffled() where mayTry(server) {
            var address = address
            address.servers = [server]
            let attempt = NATSAttempt { [address, timeout, connectTimeout, events] in
                try NATSConnection(address, timeout: timeout, connectTimeout: connectTimeout, events: events)
            }
            do {
                // nats.c ends the attempt by itself unless it meets one of the two that have no deadline.
                if let connection = try attempt.wait(for: connectTimeout + .seconds(1)) { return connection }
                let others = abandoned[server]?.attempts.filter { $0.attempt != nil } ?? []
                abandoned[server] = (others + [Abandoned(attempt: attempt)], .now)
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
