// An error as JSON, for commands that were asked for JSON.
//
// Always holds: it is one line with one member, `error`, on standard error.

extension Diagnostic {
    /// The line about an error; nil if nothing is to be printed.
    public static func json(_ error: any Error) -> [UInt8]? {
        text(error).isEmpty ? nil : JSONWriter.line { $0.writeError(error) }
    }

    /// Writes the line about an error to standard error.
    public static func write(_ error: any Error, asJSON: Bool) {
        let bytes = asJSON ? json(error) : line(error).map { Array($0.utf8) }
        if let bytes { try? Standard.error.write(bytes) }
    }

    /// The line about a command line that could not be understood.
    public static func json(usage text: String) -> [UInt8] {
        JSONWriter.line { writer in
            writer.key("error")
            writer.object { writer in
                writer.member("code", "usage")
                writer.member("message", text)
                writer.member("status", ExitStatus.usage.rawValue)
            }
        }
    }
}
