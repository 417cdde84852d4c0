// The manual page of the tool, made of what the commands say of themselves.
//
// Always holds: no text of a command is taken for a request of the page's language.

/// A manual page for `man`, in two parts: the heading can be printed before the description of all commands is made.
public enum ManualPage {
    /// The page's beginning, up to the list of commands.
    ///
    /// - Parameters:
    ///   - name: the name of the tool.
    ///   - version: the version of the tool.
    ///   - abstract: a line about the tool.
    ///   - discussion: its long text.
    public static func heading(name: String, version: String, abstract: String, discussion: String) -> String {
        let lines =
            [
                ".TH \(name.uppercased()) 1 \"\" \"\(name) \(escaped(version))\"", ".SH NAME",
                "\(name) \\- \(escaped(abstract))", ".SH SYNOPSIS", ".B \(name)", ".I command", "[arguments]",
                ".SH DESCRIPTION",
            ] + paragraphs(discussion)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The rest of the page: what each command does.
    ///
    /// - Parameter description: the description of all commands that the argument parser has.
    /// - Throws: ``JSONSyntaxError``.
    public static func commands(_ description: String) throws -> String {
        let tool = try JSONValue(parsing: description.utf8).members?["command"] ?? .null
        let commands = array(tool, "subcommands").filter { text($0, "commandName") != "help" }
        return ([".SH COMMANDS"] + commands.flatMap(section)).joined(separator: "\n") + "\n"
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
        return lines + paragraphs(text(command, "discussion"))
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

    /// A long text: paragraphs, and indented lines as they are.
    private static func paragraphs(_ discussion: String) -> [String] {
        var lines: [String] = []
        for paragraph in discussion.split(separator: "\n\n") {
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
