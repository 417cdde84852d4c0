// What a commit waits for.

/// What a commit has made durable when it returns.
public enum EnvironmentDurability: Sendable {
    /// Everything: a commit survives a power cut.
    case full
    /// All but the last commit: a power cut may take the last commit back, and damages nothing.
    case noMetaSync
    /// Nothing: a power cut may lose commits **and destroy the file**. For files that can be rebuilt.
    case noSync
}
