// The manual page of the tool, made of what the commands say of themselves.
//
// Always holds: no text of a command is taken for a request of the page's language.

/// Makes a manual page for `man`.
public struct ManualPage {
    private let commands: [JSONValue]
    private let tool: JSONValue

    /// A page of the description of all commands that the argument parser has.
    ///
    /// - Throws: ``JSONSyntaxError``.
    public init(_ description: String) throws {
        tool = try JSONValue(parsing: description.utf8).members?["command"] ?? .null
        commands = ManualPage.array(tool, "subcommands").filter { ManualPage.text($0, "commandName") != "help" }
    }

    /// The page, in the language of `man`.
    ///
    /// - Parameter version: the version of the tool.
    public func text(version: String) -> String {
        let name = ManualPage.text(tool, "commandName")
        var lines = [".TH \(name.uppercased()) 1 \"\" \"\(name) \(ManualPage.escaped(version))\"", ".SH NAME"]
        lines.append("\(name) \\- \(ManualPage.escaped(ManualPage.text(tool, "abstract")))")
        lines += [".SH SYNOPSIS", ".B \(name)", ".I command", "[arguments]", ".SH DESCRIPTION"]
        lines += ManualPage.discussion(tool)
        lines.append(".SH COMMANDS")
        for command in commands { lines += ManualPage.section(command) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ command: JSONValue) -> [String] {
        let arguments = array(command, "arguments").filter { $0.members?["shouldDisplay"] != .bool(false) }
        let positional = arguments.filter { text($0, "kind") == "positional" }
        var lines = [".SS \(escaped(text(command, "commandName")))", escaped(text(command, "abstract"))]
        let synopsis = positional.map { argument -> String in
            let name = "\\fI\(escaped(text(argument, "valueName")))\\fR"
            return argument.members?["isOptional"] == .bool(true) ? "[\(name)]" : name
        }
        lines += [
            ".PP", "\\fB\(escaped(text(command, "commandName")))\\fR \(synopsis.joined(separator: " ")) [options]",
        ]
        for argument in arguments { lines += item(argument) }
        return lines + discussion(command)
    }

    /// An argument or an option, and what it is for.
    private static func item(_ argument: JSONValue) -> [String] {
        let value = text(argument, "valueName")
        let names = array(argument, "names").map { name in
            (text(name, "kind") == "long" ? "--" : "-") + text(name, "name")
        }
        var tag = names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        if names.isEmpty {
            tag = "\\fI\(escaped(value))\\fR"
        } else if text(argument, "kind") == "option" {
            tag += " \\fI\(escaped(value))\\fR"
        }
        let standard = text(argument, "defaultValue")
        let isStated = !standard.isEmpty && text(argument, "kind") != "flag"
        return [".TP", tag, escaped(text(argument, "abstract")) + (isStated ? " Default: \(escaped(standard))." : "")]
    }

    /// The long text of a command: paragraphs, and indented lines as they are.
    private static func discussion(_ command: JSONValue) -> [String] {
        var lines: [String] = []
        for paragraph in text(command, "discussion").split(separator: "\n\n") {
            lines.append(".PP")
            var isIndented = false
            for line in paragraph.split(separator: "\n") {
                if line.hasPrefix("  ") != isIndented {
                    isIndented.toggle()
                    lines.append(isIndented ? ".nf" : ".fi")
                }
                lines.append(escaped(String(line)))
            }
            if isIndented { lines.append(".fi") }
        }
        return lines
    }

    /// A text without requests: no line begins with a period or an apostrophe.
    static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }

    private static func text(_ value: JSONValue, _ name: String) -> String { value.members?[name]?.text ?? "" }

    private static func array(_ value: JSONValue, _ name: String) -> [JSONValue] {
        if case .array(let elements)? = value.members?[name] { elements } else { [] }
    }
}
