/// Whether a host is this machine, so that what is sent to it stays here. A name other than `localhost` may be any machine.
package func isLoopback(_ host: some StringProtocol) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // A name can begin like an address: 127.0.0.1.example.org.
    return parts.count == 4 && parts[0] == "127"
        && parts.allSatisfy { part in part.utf8.allSatisfy { (48...57).contains($0) } && UInt8(part) != nil }
}
