// How much the server takes from a client. Always holds: a client that exceeds a limit ends only its own connection.

/// The limits of a server.
struct Limits: Sendable {
    /// The bytes of one header field, of all of them, and their number.
    var fieldBytes = 8 << 10
    var headBytes = 16 << 10
    var fieldCount = 64
    /// The bytes of a request to write. A row may have as much content as a list allows, and a little more.
    var bodyBytes = 4 << 20
    /// How long a body may take to arrive.
    var bodyTime = Duration.seconds(30)
    /// How long a connection may be idle, or a request be incomplete.
    var idleSeconds: Int64 = 60
    /// How many connections there may be, and how many of them may listen to new versions.
    var connections = 64
    var streams = 16
    /// How long an answer may look at one commit or row after another.
    var answerTime = Duration.milliseconds(100)
    /// How long to look for less to put into a test.
    var testSeconds = 10.0
}
