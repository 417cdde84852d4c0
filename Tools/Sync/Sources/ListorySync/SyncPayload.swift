// What a replica puts into an entry of a shared log: the record of a commit, or the same encrypted.
//
//     0  format  u8  1: a record; 2: a nonce of 12 bytes, the encrypted record, and a tag of 16 bytes (ChaCha20-Poly1305)
//     1  bytes
//
// An encrypted record is bound to its list and its number: it cannot be read in another place.
//
// Always holds: with a key, nothing is written that is not encrypted, and nothing is read that is not.

import Crypto
import Foundation
import SharedLog

/// A key with which replicas encrypt the commits of a list, so that the server sees only how many there are, and how long.
///
/// All replicas of the list need the same one. How they get it is the app's business: it never stands in the log or in the store.
public struct SyncKey: Sendable {
    fileprivate let key: SymmetricKey

    /// A new key.
    public init() { key = SymmetricKey(size: .bits256) }

    /// The key with these 32 bytes.
    ///
    /// - Throws: ``SyncProblem/wrongKey(_:)`` if they are more or fewer.
    public init(bytes: [UInt8]) throws {
        guard bytes.count == 32 else { throw SyncProblem.wrongKey("a key has 32 bytes, not \(bytes.count)") }
        key = SymmetricKey(data: bytes)
    }

    /// Its bytes, to be kept where the app keeps secrets.
    public var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }
}

/// Writes and reads payloads.
struct SyncCodec: Sendable {
    let key: SyncKey?
    let list: String

    private enum Format {
        static let plain: UInt8 = 1
        static let encrypted: UInt8 = 2
    }

    /// How many bytes a payload has besides those in it.
    var overhead: Int { key == nil ? 1 : 29 }

    /// What is encrypted at a number belongs there.
    private func place(_ number: UInt64) -> Data {
        Data(list.utf8) + withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    /// What a payload begins with that has its bytes as they are.
    var prefix: UInt8? { key == nil ? Format.plain : nil }

    /// Bytes with the prefix before them.
    func prefixed(_ bytes: [UInt8]) -> ArraySlice<UInt8> { (prefix.map { [$0] } ?? []) + bytes }

    /// The payload of bytes that have the prefix before them.
    func payload(prefixed bytes: ArraySlice<UInt8>, number: UInt64) throws -> ArraySlice<UInt8> {
        key == nil ? bytes : ArraySlice(try payload(of: bytes, number: number))
    }

    /// The payload of bytes without the prefix.
    func payload(of bytes: some DataProtocol, number: UInt64) throws -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(bytes.count + overhead)
        if let key {
            let box = try ChaChaPoly.seal(bytes, using: key.key, authenticating: place(number))
            payload.append(Format.encrypted)
            payload.append(contentsOf: box.combined)
        } else {
            payload.append(Format.plain)
            payload.append(contentsOf: bytes)
        }
        return payload
    }

    /// The bytes in a payload.
    ///
    /// - Throws: ``SyncProblem/wrongKey(_:)``, ``SharedLogError`` if it is damaged or of a newer release.
    func bytes(_ payload: ArraySlice<UInt8>, number: UInt64) throws -> [UInt8] {
        switch (payload.first, key) {
        case (Format.plain, nil): return Array(payload.dropFirst())
        case (Format.plain, _?):
            throw SyncProblem.wrongKey("commit \(number) is not encrypted, and this replica has a key")
        case (Format.encrypted, nil):
            throw SyncProblem.wrongKey("commit \(number) is encrypted, and this replica has no key")
        case (Format.encrypted, let key?):
            do {
                let box = try ChaChaPoly.SealedBox(combined: payload.dropFirst())
                return Array(try ChaChaPoly.open(box, using: key.key, authenticating: place(number)))
            } catch {
                throw SyncProblem.wrongKey(
                    "commit \(number) was encrypted with another key, for another place, or is damaged")
            }
        case (let format?, _) where format > Format.encrypted:
            throw SharedLogError.futureFormat(
                .entry(number), expected: Int(Format.encrypted), found: Int(format))
        case (let format, _):
            throw SharedLogError.damaged(
                .entry(number), expected: "a commit in format 1 or 2",
                found: format.map { "format \($0)" } ?? "no bytes")
        }
    }
}
