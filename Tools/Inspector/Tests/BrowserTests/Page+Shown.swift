// What the page shows, as a user sees it: read from its elements, not from its variables.
//
// Always holds: a question waits until the page is not busy.

import Foundation
import ToolSupport

/// A line of the list: a section, or a row.
struct ShownLine: Equatable, CustomStringConvertible {
    var title: String
    /// Nil for a section.
    var isChecked: Bool?

    var description: String { (isChecked.map { $0 ? "[x] " : "[ ] " } ?? "# ") + title }
}

extension Page {
    /// Waits until the page is not busy any more, and nothing moves.
    func waitUntilShown() async throws {
        // What is drawn and loaded with the next frame begins with it.
        try await evaluate("new Promise((next) => requestAnimationFrame(() => setTimeout(next)))")
        try await wait(
            """
            document.querySelector("main")?.getAttribute("aria-busy") === "false"
              && document.querySelector("main").dataset.version && !document.querySelector("#list .waiting")
              && !document.getAnimations().some((motion) => motion.playState === "running")
            """)
    }

    /// Waits until a version is shown, with its panel.
    func wait(forVersion version: UInt64) async throws {
        try await wait("document.querySelector('main').dataset.version === '\(version)'")
        try await waitUntilShown()
    }

    /// The version that is shown.
    var version: UInt64 {
        get async throws { UInt64(try await text("document.querySelector('main').dataset.version")) ?? .max }
    }

    /// Goes to a version by its name.
    func go(to version: String) async throws {
        try await fill("#version", version)
        try await press("Enter")
    }

    /// Replaces the text of a field.
    func fill(_ selector: String, _ text: String) async throws {
        try await click(selector)
        try await evaluate("document.querySelector(\(JSONValue.text(of: .string(selector)))).select()")
        if text.isEmpty { try await press("Delete") } else { try await type(text) }
    }

    /// The lines of a list that are elements, in the order that screen readers are told.
    func lines(_ list: String = "#list") async throws -> [ShownLine] {
        try await waitUntilShown()
        let found = try await evaluate(
            """
            [...document.querySelectorAll("\(list) [role=option]")]
              .sort((a, b) => a.getAttribute("aria-posinset") - b.getAttribute("aria-posinset"))
              .map((line) => [line.querySelector(".title").textContent,
                line.classList.contains("section") ? null : line.querySelector(".hidden").textContent !== ""])
            """)
        return found.elements.map { line in
            ShownLine(title: line[0]?.text ?? "", isChecked: line[1].flatMap { $0 == .null ? nil : $0 == .bool(true) })
        }
    }

    /// The texts of the elements that a selector names.
    func texts(_ selector: String) async throws -> [String] {
        try await waitUntilShown()
        let name = JSONValue.text(of: .string(selector))
        return try await evaluate("[...document.querySelectorAll(\(name))].map((found) => found.textContent)")
            .elements.compactMap(\.text)
    }

    /// The versions of the commits in the log that are elements.
    func logVersions() async throws -> [UInt64] {
        try await texts("#log [role=option] .version").compactMap(UInt64.init).sorted(by: >)
    }

    /// Opens a tab of the details.
    func openTab(_ name: String) async throws {
        try await click("#tab-\(name)")
        try await wait("document.querySelector('#detail').dataset.panel === '\(name)'")
        try await waitUntilShown()
    }

    /// The file that was saved.
    func download() async throws -> Data {
        // While it is being written, its name ends with that of the browser's own; an empty file may keep its name free.
        while true {
            let files = try FileManager.default.contentsOfDirectory(at: downloads, includingPropertiesForKeys: nil)
            if let file = files.first(where: {
                $0.pathExtension != "crdownload" && !$0.lastPathComponent.hasPrefix(".")
            }), case let data = try Data(contentsOf: file), !data.isEmpty {
                try? FileManager.default.removeItem(at: file)
                return data
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Clicks on the button with a text.
    func clickButton(_ selector: String, _ text: String) async throws {
        try await waitUntilShown()
        let (place, text) = (JSONValue.text(of: .string(selector)), JSONValue.text(of: .string(text)))
        try await evaluate(
            """
            document.querySelector("[data-test]")?.removeAttribute("data-test");
            [...document.querySelector(\(place)).querySelectorAll("button")].find((each) => each.textContent === \(text))
              .dataset.test = "";
            """)
        try await click("[data-test]")
    }

    /// Clicks on the row or section with a title.
    func clickRow(_ title: String) async throws {
        let name = JSONValue.text(of: .string(title))
        try await evaluate(
            """
            document.querySelector("[data-test]")?.removeAttribute("data-test");
            [...document.querySelectorAll("#list [role=option] .title")].find((found) => found.textContent === \(name))
              .dataset.test = "";
            """)
        try await click("[data-test]")
        try await waitUntilShown()
    }
}
