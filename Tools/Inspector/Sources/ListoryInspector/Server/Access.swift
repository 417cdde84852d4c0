// Who may ask: the launch link, the cookie that it is exchanged for, and the token of requests to write.
//
// Every user and program of this machine can connect to a port of loopback, so a browser has to show that it was given the
// link. The link may be read from a list of processes or a browser's history, so it works once.
//
// A browser sends a cookie to every port of its host. But it only sends it to the paths below that of the cookie, so the page
// is below a path that other servers cannot guess.
//
// Always holds: secrets have 128 random bits; comparing takes the same time wherever two texts differ.

import Synchronization

/// The secrets of a server.
final class Access: Sendable {
    /// What a browser sends in its cookie.
    let session = Access.secret()
    /// The first part of all paths of the page.
    let prefix = Access.secret()
    /// What a request to write has besides.
    let writing = Access.secret()
    /// The links that were not used yet.
    private let links = Mutex<[String]>([])

    /// How many links may be unused at a time; of more, the oldest stop to work.
    private static let linkCount = 16

    /// The token of a new launch link.
    func newLink() -> String {
        let secret = Access.secret()
        links.withLock { links in
            if links.count >= Access.linkCount { links.removeFirst() }
            links.append(secret)
        }
        return secret
    }

    /// Makes all links stop to work.
    func forgetLinks() { links.withLock { $0.removeAll() } }

    /// Uses a launch link.
    ///
    /// - Returns: whether it is one that was not used yet.
    func useLink(_ token: String) -> Bool {
        links.withLock { links in
            let count = links.count
            links.removeAll { Access.isEqual($0, token) }
            return links.count < count
        }
    }

    /// 128 random bits from the system, as hexadecimal digits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        return String((0..<32).map { _ in digits[Int(generator.next(upperBound: UInt(16)))] })
    }

    /// Whether two texts are equal, in a time that depends on the length of the second one only.
    static func isEqual(_ secret: String, _ text: String) -> Bool {
        let (secret, text) = (Array(secret.utf8), Array(text.utf8))
        var difference = secret.count ^ text.count
        for (index, byte) in text.enumerated() { difference |= Int(byte ^ secret[index % secret.count]) }
        return difference == 0
    }
}
