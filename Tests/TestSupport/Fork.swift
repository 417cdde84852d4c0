// Runs code that may crash in a fork, for the helpers.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a closure in a fork. The program must have one thread only.
///
/// - Parameter seconds: the time after which a fork that hangs is ended.
/// - Returns: what the closure returns, or the negative number of the signal that ended the fork.
public func inFork(seconds: UInt32 = 20, _ body: () -> Int32) -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    // SAFETY: the symbol is the C library's fork, which has this signature. Swift hides it because most programs have
    // threads; the caller has only one.
    let fork = unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "fork"), to: Fork.self)
    let child = fork()
    if child == 0 {
        // No core dumps.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_CORE, &limit)
        #endif
        alarm(seconds)
        _exit(body())
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
}
