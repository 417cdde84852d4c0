// Lets one thread of all processes at a time do something with a file.
//
// The claim is a file of its own with a lock, which the system releases when the process ends.
//
// Always holds: whoever has the lock has it on the file that has the name now, so two cannot have claimed the same.

extension DataFile {
    /// Runs `body` while nobody else claims the file at a path.
    ///
    /// - Throws: ``LMDBError``: `inUse` if somebody does; `engine` for what the system says; what `body` throws.
    package static func claiming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let name = path + "-claim"
        let descriptor = try claim(name, path)
        defer {
            Platform.remove(name)
            Platform.close(descriptor)
        }
        return try body()
    }

    private static func claim(_ name: String, _ path: String) throws(LMDBError) -> Int32 {
        while true {
            guard let descriptor = Platform.openShared(name, mode: Environment.Options().fileMode) else {
                throw LMDBError(code: Platform.lastError, in: "open", detail: name)
            }
            let code = Platform.tryLock(descriptor)
            if code == 0, case .success(let status) = Platform.status(of: descriptor),
                status.identity == Platform.identity(name)
            {
                return descriptor
            }
            Platform.close(descriptor)
            if code == Platform.wouldBlock { throw LMDBError(.inUse(path: path), in: "DataFile.claiming") }
            // Whoever had it has removed the file meanwhile.
            try Engine.check(code, "flock")
        }
    }
}
