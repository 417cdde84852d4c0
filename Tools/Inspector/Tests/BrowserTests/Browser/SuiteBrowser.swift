// One browser for all tests of a suite: starting one takes more than a second of both cores.
//
// Always holds: it ends with the suite. Each page has a context of its own, so tests share no cookies, storage or cache.

import Synchronization
import Testing

/// The browser of a suite. It starts with the first test that needs it.
final class SuiteBrowser: Sendable {
    /// The one of the suite that runs.
    @TaskLocal static var current: SuiteBrowser?

    private let browser = Mutex<Chromium?>(nil)

    /// The running browser.
    func running() throws -> Chromium {
        try browser.withLock { browser in
            let running = try browser ?? Chromium()
            browser = running
            return running
        }
    }

    /// Ends the browser; the next test gets another one.
    func stop() { browser.withLock { $0.take() }?.stop() }
}

/// Gives the tests of a suite one browser, which ends with the suite.
struct OneBrowser: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: () async throws -> Void) async throws {
        let browser = SuiteBrowser()
        defer { browser.stop() }
        try await SuiteBrowser.$current.withValue(browser) { try await function() }
    }
}
