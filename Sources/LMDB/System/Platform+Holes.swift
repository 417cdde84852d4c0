// Makes holes in files: parts without disk space, which read as zeros.
//
// Always holds: the length of the file stays, and so do all bytes outside of the hole.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CLMDB
import Glibc
#elseif canImport(Musl)
import CLMDB
import Musl
#endif

extension Platform {
    /// Makes a hole in an open file; 0 or an error number. Not every file system can do it.
    ///
    /// - Parameter range: which bytes; on Apple's systems, whole blocks of the file system.
    static func makeHole(_ descriptor: Int32, _ range: Range<Int>) -> Int32 {
        while true {
            #if canImport(Darwin)
            var hole = fpunchhole_t(
                fp_flags: 0, reserved: 0, fp_offset: off_t(range.lowerBound), fp_length: off_t(range.count))
            let code = fcntl(descriptor, F_PUNCHHOLE, &hole)
            #else
            // FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE, which only a header of the kernel has.
            let code = fallocate(descriptor, 0x01 | 0x02, off_t(range.lowerBound), off_t(range.count))
            #endif
            if code == 0 { return 0 }
            if errno != EINTR { return errno }
        }
    }
}
