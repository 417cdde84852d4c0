// How observers are told of commits. An app has nothing to choose here; tests have.

/// How observers are told of commits.
package struct UpdateOptions: Sendable {
    /// How many updates may wait for a reader. Each keeps what the list changed since the one before it.
    package var queueLimit = 256
    /// For a test that has to fail: tells observers of a commit before it is in the queue, where its content could be read,
    /// and then calls this, which lets them try.
    package var tellsEarly: (@Sendable () -> Void)?
}
