// Making the bytes of files durable.
//
// Always holds: a failure is returned to the caller as an `errno` value.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Platform {
    /// Makes a file's bytes durable; 0 or an error number.
    static func synchronize(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // Only this call asks the drive to empty its cache; file systems without it still have fsync.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// Whether a commit of LMDB may leave its pages in the drive's cache: most versions of LMDB sync with `fsync`, which
    /// on Apple's systems does not empty that cache.
    static var commitsStopAtDriveCache: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// Takes the errors that the system still has to report through the other descriptors of a file which sync what they
    /// write. Linux reports a failed sync once through each descriptor. LMDB has a second one for its meta pages, and refuses
    /// everything after an error there.
    static func takeSyncErrors(besides descriptor: Int32) {
        #if !canImport(Darwin)
        guard let identity = try? status(of: descriptor).get().identity else { return }
        // LMDB opens it right after this one, and a new descriptor is the lowest that is free.
        for other in 0..<descriptor + 1_024 {
            let flags = fcntl(other, F_GETFL)
            guard flags >= 0, flags & O_DSYNC != 0, (try? status(of: other).get().identity) == identity else {
                continue
            }
            _ = fsync(other)
        }
        #endif
    }
}
