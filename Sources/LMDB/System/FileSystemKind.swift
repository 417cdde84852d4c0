// Which file systems are refused, and how to recognise the one of a path.
//
// Always holds: the result depends only on the number that the system reports. All file systems in user space (FUSE)
// report the same number, so a network file system behind FUSE is not detected, and is allowed.

#if canImport(Darwin)
import Darwin
#else
import CLMDB
#endif

/// Tells file systems on which LMDB's locks and shared maps cannot be trusted.
enum FileSystemKind {
    /// The name of the network file system that a Linux `statfs` type stands for; `nil` for all others.
    ///
    /// - Parameter type: `f_type`; only its low 32 bits count, since some systems extend its sign.
    static func networkName(linuxType type: UInt64) -> String? {
        switch UInt32(truncatingIfNeeded: type) {
        case 0x0000_6969: "NFS"
        case 0x0000_517B: "SMB"
        case 0xFF53_4D42: "CIFS"
        case 0xFE53_4D42: "SMB2"
        case 0x0102_1997: "9P"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x7375_7245: "Coda"
        case 0x0000_564C: "NCP"
        case 0x00C3_6400: "Ceph"
        case 0x0BD0_0BD0: "Lustre"
        case 0x4750_4653: "GPFS"
        default: nil
        }
    }

    /// The name of the network file system that a Darwin mount is; `nil` when its flags say that it is local.
    ///
    /// - Parameters:
    ///   - flags: `f_flags` of the mount.
    ///   - localFlag: `MNT_LOCAL`.
    ///   - name: `f_fstypename`.
    static func networkName(darwinFlags flags: UInt32, localFlag: UInt32, name: String) -> String? {
        flags & localFlag == localFlag ? nil : name
    }

    /// The name of the network file system that a path lies on; `nil` when it is local or cannot be asked.
    static func networkName(at path: String) -> String? {
        var record = statfs()
        // SAFETY: `record` lives through the call; the path is a C string for its duration.
        guard statfs(path, &record) == 0 else { return nil }
        #if canImport(Darwin)
        let name = withUnsafeBytes(of: &record.f_fstypename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return networkName(
            darwinFlags: record.f_flags, localFlag: UInt32(bitPattern: Int32(MNT_LOCAL)), name: name
        )
        #else
        return networkName(linuxType: UInt64(truncatingIfNeeded: record.f_type))
        #endif
    }
}
