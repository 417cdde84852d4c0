// The version of Listory. Always holds: it is that of the first heading of the changelog, which a test checks.

/// The version that `listory --version` prints.
enum ToolVersion {
    static let current = "0.1.0"
}
