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
    waitForFork(startFork(seconds: seconds, body))
}

/// Starts a closure in a fork. The program must have one thread only.
///
/// - Returns: the id of the process, for ``waitForFork(_:)``.
public func startFork(seconds: UInt32 = 20, _ body: () -> Int32) -> pid_t {
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
        endProcess(after: seconds)
        _exit(body())
    }
    return child
}

/// Ends this process after some time, unless it is called again.
public func endProcess(after seconds: UInt32) {
    // A process that a test starts has inherited the signals that the test's thread blocks.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    alarm(seconds)
}

/// Waits for the end of a fork, and returns what its closure has returned, or the negative number of the signal that ended
/// it.
public func waitForFork(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
}
