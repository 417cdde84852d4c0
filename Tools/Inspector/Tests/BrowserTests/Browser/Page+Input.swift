// Keys and the mouse, as a user has them.
//
// Always holds: a click goes where the element is, when nothing moves any more, and fails if something else is there.

import Foundation
import ToolSupport

extension Page {
    /// Clicks on the element that a selector names.
    ///
    /// - Parameters:
    ///   - share: where in its width, 0 to 1.
    ///   - inset: how many pixels at both sides do not count.
    ///   - count: 2 for a double click.
    func click(_ selector: String, at share: Double = 0.5, inset: Double = 0, count: Int64 = 1) async throws {
        try await waitUntilShown()
        let point = try await evaluate(
            """
            (() => {
              const element = document.querySelector(\(JSONValue.text(of: .string(selector))));
              if (!element) return "nothing there";
              element.scrollIntoView({ block: "nearest", behavior: "instant" });
              const box = element.getBoundingClientRect();
              const point = [box.left + \(inset) + (box.width - 2 * \(inset)) * \(share), box.top + box.height / 2];
              const hit = document.elementFromPoint(...point);
              const isHit = hit && (element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element);
              return isHit ? point : `covered by ${hit?.outerHTML.slice(0, 200)}`;
            })()
            """)
        guard let x = point[0], let y = point[1] else {
            throw Trouble(description: "\(selector): \(JSONValue.text(of: point))")
        }
        try await mouse("mouseMoved", x, y)
        for click in 1...count {
            try await mouse("mousePressed", x, y, ["button": "left", "clickCount": .integer(click)])
            try await mouse("mouseReleased", x, y, ["button": "left", "clickCount": .integer(click)])
        }
    }

    /// Chooses an option, as with the keys.
    func choose(_ selector: String, _ option: String) async throws {
        let (name, value) = (JSONValue.text(of: .string(selector)), JSONValue.text(of: .string(option)))
        try await evaluate(
            """
            { const field = document.querySelector(\(name));
            field.value = \(value);
            field.dispatchEvent(new Event("input", { bubbles: true }));
            field.dispatchEvent(new Event("change", { bubbles: true })); }
            """)
    }

    private func mouse(_ type: String, _ x: JSONValue, _ y: JSONValue, _ more: [String: JSONValue] = [:]) async throws {
        let place: [String: JSONValue] = ["type": .string(type), "x": x, "y": y]
        try await call("Input.dispatchMouseEvent", place.merging(more) { $1 })
    }

    /// Presses and releases keys, each with its name in JavaScript: "Tab", "ArrowDown", "a", "Shift+Tab".
    func press(_ keys: String...) async throws {
        for key in keys { try await press(key) }
    }

    private func press(_ combination: String) async throws {
        var parts = combination.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        let key = parts.removeLast()
        let bits: [String: Int64] = ["Alt": 1, "Control": 2, "Meta": 4, "Shift": 8]
        let modifiers = parts.reduce(0) { $0 | bits[$1]! }
        var parameters: [String: JSONValue] = [
            "key": .string(key == "Space" ? " " : key), "code": .string(Page.code(key)),
            "modifiers": .integer(modifiers),
            "windowsVirtualKeyCode": .integer(Page.number(key)),
        ]
        let typed = ["Enter": "\r", "Space": " "][key] ?? (key.count == 1 && modifiers & 7 == 0 ? key : nil)
        if let typed { parameters["text"] = .string(typed) }
        parameters["type"] = typed == nil ? "rawKeyDown" : "keyDown"
        try await call("Input.dispatchKeyEvent", parameters)
        parameters["text"] = nil
        parameters["type"] = "keyUp"
        try await call("Input.dispatchKeyEvent", parameters)
    }

    /// Types a text where the focus is.
    func type(_ text: String) async throws { try await call("Input.insertText", ["text": .string(text)]) }

    private static func code(_ key: String) -> String {
        guard key.count == 1, let scalar = key.unicodeScalars.first else { return key }
        switch scalar {
        case "a"..."z", "A"..."Z": return "Key\(key.uppercased())"
        case "0"..."9": return "Digit\(key)"
        default: return ""
        }
    }

    /// The numbers that Windows has given to keys.
    private static func number(_ key: String) -> Int64 {
        let named: [String: Int64] = [
            "Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, "Space": 32, "PageUp": 33, "PageDown": 34, "End": 35,
            "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46, "/": 191,
        ]
        return named[key] ?? key.uppercased().unicodeScalars.first.map { Int64($0.value) } ?? 0
    }
}
