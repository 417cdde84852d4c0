// Colours and weights of text on a terminal.
//
// Always holds: without them the text is the same, so no information is in the colour alone.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The style of text.
public struct TerminalStyle: Sendable {
    private let isOn: Bool

    /// No colours at all.
    public static let plain = TerminalStyle(isOn: false)

    private init(isOn: Bool) {
        self.isOn = isOn
    }

    /// When there are colours.
    public enum Choice: String, CaseIterable, Sendable {
        /// On a terminal, unless the environment asks for none.
        case auto
        case always, never
    }

    /// The style for a file descriptor.
    public init(
        _ choice: Choice = .auto, descriptor: Int32,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        switch choice {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            let isRefused = !environment["NO_COLOR", default: ""].isEmpty || environment["TERM"] == "dumb"
            isOn = isatty(descriptor) == 1 && !isRefused
        }
    }

    func bold(_ text: String) -> String { styled(text, "1") }
    func faint(_ text: String) -> String { styled(text, "2") }
    func red(_ text: String) -> String { styled(text, "31") }
    func green(_ text: String) -> String { styled(text, "32") }
    func yellow(_ text: String) -> String { styled(text, "33") }
    func blue(_ text: String) -> String { styled(text, "34") }

    private func styled(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
