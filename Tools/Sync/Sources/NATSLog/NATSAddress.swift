import Foundation
import SharedLog

/// The address of one or more NATS servers, with what the connection needs besides.
///
///     tls://user:password@host:4222
///     tls://host1:4222,tls://host2:4222?creds=/path/to/user.creds&ca=/path/to/ca.pem&replicas=3
///
/// | parameter | what |
/// |---|---|
/// | `creds` | a file with a token and a seed, as NATS makes them |
/// | `ca` | a file with certificates to trust besides those of the system |
/// | `cert`, `key` | files with a certificate of the client and its key |
/// | `replicas` | how many servers of a cluster keep a list |
/// | `tls` | `no`: credentials may be sent to other machines without encryption |
///
/// Servers without a login get that of the first one that has one. One server with `tls://`, `ca` or `cert` means TLS for all of them: then
/// the certificate of each server is checked, and its name.
struct NATSAddress: Sendable {
    var servers: [String]
    let usesTLS: Bool
    let credentials: String?
    let authorities: String?
    let certificate: (file: String, key: String)?
    let replicas: Int?
    /// What must not be in a message.
    let secrets: [String]

    init(_ url: String) throws {
        guard !url.utf8.contains(0) else { throw SharedLogError.invalidAddress(reason: "it has a zero byte") }
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var servers: [String] = []
        var secrets: [String] = []
        var firstLogin: Substring?
        var usesTLS = false
        var isRemote = false
        for server in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = server.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
            guard pieces.count == 2, pieces[0] == "nats" || pieces[0] == "tls", !pieces[1].isEmpty else {
                throw SharedLogError.invalidAddress(reason: "each server begins with nats:// or tls://, and has a host")
            }
            if pieces[0] == "tls" { usesTLS = true }
            servers.append("nats://\(pieces[1])")
            // Before the last @ stand a name and a password, or a token.
            let end = pieces[1].lastIndex(of: "@")
            if let end {
                let login = pieces[1][..<end]
                firstLogin = firstLogin ?? login
                let secret = login.firstIndex(of: ":").map { login[login.index(after: $0)...] } ?? login
                secrets += [String(secret), secret.removingPercentEncoding ?? ""]
            }
            let place = end.map { pieces[1][pieces[1].index(after: $0)...] } ?? pieces[1]
            if !isLoopback(NATSAddress.host(place)) { isRemote = true }
        }
        // nats.c does the same, but only with all servers in one attempt to connect; here each has its own.
        if let firstLogin {
            servers = servers.map { $0.contains("@") ? $0 : "nats://\(firstLogin)@\($0.dropFirst(7))" }
        }
        var values: [String: String] = [:]
        for parameter in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            let pieces = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pieces.count == 2, ["creds", "ca", "cert", "key", "replicas", "tls"].contains(pieces[0]),
                let value = pieces[1].removingPercentEncoding, !value.isEmpty
            else {
                throw SharedLogError.invalidAddress(reason: "the parameters are creds, ca, cert, key, replicas and tls")
            }
            values[String(pieces[0])] = value
        }
        usesTLS = usesTLS || values["ca"] != nil || values["cert"] != nil
        guard values["tls"] == nil || values["tls"] == "no" && !usesTLS else {
            throw SharedLogError.invalidAddress(reason: "tls can only be no, which contradicts tls://, ca and cert")
        }
        // A password is sent as it is. That the server demands TLS does not help: somebody between can strike that out.
        if isRemote, !usesTLS, values["tls"] == nil, !secrets.isEmpty || values["creds"] != nil {
            throw SharedLogError.invalidAddress(
                reason: "it would send credentials to another machine without encryption; "
                    + "write tls:// instead of nats://, or add the parameter tls=no if the network is safe")
        }
        self.servers = servers
        self.secrets = secrets
        self.usesTLS = usesTLS
        credentials = values["creds"]
        authorities = values["ca"]
        switch (values["cert"], values["key"]) {
        case (let file?, let key?): certificate = (file, key)
        case (nil, nil): certificate = nil
        default: throw SharedLogError.invalidAddress(reason: "cert and key belong together")
        }
        if let text = values["replicas"] {
            guard let number = Int(text), (1...5).contains(number) else {
                throw SharedLogError.invalidAddress(reason: "replicas is a number from 1 to 5")
            }
            replicas = number
        } else {
            replicas = nil
        }
    }

    /// The host of a server without its port; an IPv6 address stands in brackets.
    private static func host(_ server: Substring) -> Substring {
        if server.hasPrefix("[") { return server.dropFirst().prefix { $0 != "]" } }
        return server.prefix { $0 != ":" && $0 != "/" }
    }
}

/// The names of a list's streams and subjects. NATS allows few characters in them, so others are written as `_` and two digits.
struct NATSNames: Sendable {
    let log: String
    let snapshots: String
    let subject: String
    /// To this subject the server sends the headers of what it has stored.
    let stored: String
    /// To this subject clients send small messages, beside storing them.
    let announced: String
    static let announcements = "listory.announced."
    static let notices = "listory.stored."
    /// To this subject the server that leads a stream from now on tells so.
    let elected: String
    static let elections = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."
    let manifest: String
    let part: String
    let allSnapshots: String

    init(list: String) {
        var name = ""
        for byte in list.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += "_" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        // A stream is a folder of the server, and folders have short names. Two underscores are in no other name. The beginning of
        // the stream has the whole name of the list, which is compared.
        if name.utf8.count > 120 {
            let hashes = Array(list.utf8).withUnsafeBytes { bytes in
                (0..<2).map { hexadecimal(XXHash64.hash(bytes, seed: $0)) }
            }
            name = name.prefix(80) + "__" + hashes.joined()
        }
        log = "LISTORY_LOG_\(name)"
        snapshots = "LISTORY_SNAPSHOTS_\(name)"
        subject = "listory.log.\(name)"
        stored = NATSNames.notices + name
        announced = NATSNames.announcements + name
        elected = NATSNames.elections + log
        allSnapshots = "listory.snapshots.\(name).*"
        manifest = "listory.snapshots.\(name).manifest"
        part = "listory.snapshots.\(name).part"
    }
}
