// Shows a store while a test asks about it.
//
// The server shares the threads of Swift's tasks with the tests. A test that waited on one of them for an answer would wait for
// ever if all of them did.
//
// Always holds: the test runs on a thread of its own; the server has ended when it has.

import Foundation
import Listory

@testable import ListoryInspector

/// Calls `body` with an inspector of a store, and a browser that was given its link.
func inspecting(
    _ store: UntypedStore, allowsWriting: Bool = false, limits: Limits = Limits(),
    _ body: @escaping (Inspector, Browser) throws -> Void
) async throws {
    let inspector = Inspector(store, allowsWriting: allowsWriting, port: 0, limits: limits)
    let link = try await inspector.start().absoluteString
    // SAFETY: the test waits until the thread has called it.
    nonisolated(unsafe) let body = body
    let outcome = await Result { try await waiting { try body(inspector, Browser(link)) } }
    await inspector.stop()
    try outcome.get()
}

extension Result where Failure == any Error {
    /// The outcome of a function.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
