// A tab of a browser, with cookies and storage of its own.
//
// Always holds: exceptions, messages of the console above a note, refused requests, breaches of the page's policy and
// requests to any other server are collected in `problems`.

import Foundation
import Synchronization
import ToolSupport

/// An open page.
final class Page: Sendable {
    private let browser: Chromium
    private let session: String
    /// The context of the tab, which has nothing in common with others.
    private let context: JSONValue
    private let found = Mutex<[String]>([])
    /// Where downloads are put.
    let downloads: URL

    /// Opens a tab that shows nothing.
    init(_ browser: Chromium, downloads: URL) async throws {
        (self.browser, self.downloads) = (browser, downloads)
        context = try await browser.call("Target.createBrowserContext")["browserContextId"]!
        try await browser.call(
            "Browser.setDownloadBehavior",
            ["behavior": "allow", "browserContextId": context, "downloadPath": .string(downloads.path)])
        let target = try await browser.call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": context, "width": 1280, "height": 800])
        session = try await browser.call(
            "Target.attachToTarget", ["targetId": target["targetId"]!, "flatten": true])["sessionId"]!.text!
        browser.listen { [weak self, session] event in if event.session == session { self?.note(event) } }
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"] {
            try await call("\(domain).enable")
        }
        // High enough for all rows of a short list.
        try await resize(width: 1280, height: 1400)
    }

    /// Closes the tab, and forgets its cookies and its storage.
    func close() async throws { try await browser.call("Target.disposeBrowserContext", ["browserContextId": context]) }

    /// What went wrong in the page so far.
    var problems: [String] { found.withLock { $0 } }

    /// What went wrong so far, and is expected, so that it is forgotten.
    func takeProblems() -> [String] {
        found.withLock { found in
            defer { found = [] }
            return found
        }
    }

    /// Calls a method of the protocol for this tab.
    @discardableResult
    func call(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws -> JSONValue {
        try await browser.call(method, parameters, session: session)
    }

    private func note(_ event: Chromium.Event) {
        func add(_ text: String?) { found.withLock { $0.append("\(event.method): \(text ?? "?")") } }
        let parameters = event.parameters
        switch event.method {
        case "Runtime.exceptionThrown": add(parameters["exceptionDetails"].map(JSONValue.text))
        case "Runtime.consoleAPICalled":
            if ["error", "warning", "assert"].contains(parameters["type"]?.text) {
                add(JSONValue.text(of: parameters))
            }
        case "Log.entryAdded":
            if ["error", "warning"].contains(parameters["entry"]?["level"]?.text) {
                add(JSONValue.text(of: parameters))
            }
        case "Network.requestWillBeSent":
            let url = parameters["request"]?["url"]?.text ?? ""
            if !["http://127.0.0.1:", "blob:http://127.0.0.1:", "data:", "about:"].contains(where: url.hasPrefix) {
                add(url)
            }
        default: break
        }
    }

    // MARK: - The document

    /// Goes to an address, and waits until the page has loaded.
    func open(_ address: String) async throws {
        let result = try await call("Page.navigate", ["url": .string(address)])
        if let error = result["errorText"]?.text { throw Trouble(description: "\(address): \(error)") }
        try await wait("document.readyState === 'complete'")
    }

    /// The value of an expression, which may be a promise.
    ///
    /// - Throws: ``Trouble`` with the exception that the expression throws.
    @discardableResult
    func evaluate(_ expression: String) async throws -> JSONValue {
        let answer = try await call(
            "Runtime.evaluate",
            ["expression": .string(expression), "awaitPromise": true, "returnByValue": true, "userGesture": true])
        if let details = answer["exceptionDetails"] {
            throw Trouble(
                description: "\(expression)\n\(JSONValue.text(of: details["exception"]?["description"] ?? details))")
        }
        return answer["result"]?["value"] ?? .null
    }

    /// The text of an expression; empty if it is none.
    func text(_ expression: String) async throws -> String { try await evaluate(expression).text ?? "" }

    /// Waits until an expression is true.
    func wait(_ condition: String, seconds: Double = 30) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try await evaluate("!!(\(condition))") != .bool(true) {
            guard ContinuousClock.now < end else {
                let body = try await text("document.body.innerText.slice(0, 2000)")
                throw Trouble(description: "still not true: \(condition)\nproblems: \(problems)\npage:\n\(body)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: - The window

    /// Sets the size of the page in CSS pixels.
    ///
    /// - Parameter scale: how many pixels of the screen one of these is. A page of half the size at twice the scale is what a
    ///   user sees who has zoomed to 200 %.
    func resize(width: Int64, height: Int64, scale: Double = 1) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(width), "height": .integer(height), "deviceScaleFactor": .number(scale),
                "mobile": false,
            ])
    }

    /// Sets what the user prefers.
    func prefer(dark: Bool, motion: Bool = false) async throws {
        let features: [JSONValue] = [
            ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
            ["name": "prefers-reduced-motion", "value": motion ? "no-preference" : "reduce"],
        ]
        try await call("Emulation.setEmulatedMedia", ["features": .array(features)])
    }

    /// A picture of what the window shows, as PNG.
    func picture() async throws -> Data {
        let answer = try await call("Page.captureScreenshot", ["format": "png"])
        return Data(base64Encoded: answer["data"]?.text ?? "") ?? Data()
    }
}

extension JSONValue: @retroactive ExpressibleByStringLiteral, @retroactive ExpressibleByIntegerLiteral,
    @retroactive ExpressibleByBooleanLiteral, @retroactive ExpressibleByDictionaryLiteral,
    @retroactive ExpressibleByUnicodeScalarLiteral, @retroactive ExpressibleByExtendedGraphemeClusterLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }

    public init(integerLiteral value: Int64) { self = .integer(value) }

    public init(booleanLiteral value: Bool) { self = .bool(value) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}
