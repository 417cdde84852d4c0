// Lets one thread of all processes at a time do something with a file, and names the files that it makes beside it meanwhile.
//
// The claim is a file of its own with a lock, which the system releases when the process ends.
//
// Always holds: whoever has the lock has it on the file that has the name now, so two cannot have claimed the same.

extension DataFile {
    /// A file that is beside a data file for a while. Nobody gives a file of theirs such a name: what is there was left by a process
    /// that was killed, and may be removed.
    package enum Scratch: String {
        /// The claim itself.
        case claim
        /// What is being written. Whoever makes it has the claim.
        case making
        /// What is to take the place of the data file, or a copy that is sent to other replicas. Whoever makes it has the claim.
        case made
        /// What is salvaged for the place, or, beside ``made``, to repair the data file. Whoever makes it has the claim.
        case salvaging

        /// Its name beside a data file.
        package func path(of file: String) -> String { "\(file)~\(rawValue)" }
    }

    /// Runs `body` while nobody else claims the file at a path. Before and afterwards, ``Scratch/making`` and ``Scratch/made`` are removed.
    ///
    /// - Throws: ``LMDBError``: `inUse` if somebody does; `engine` for what the system says; what `body` throws.
    package static func claiming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let name = Scratch.claim.path(of: path)
        let descriptor = try claim(name, path)
        defer {
            Platform.remove(name)
            Platform.close(descriptor)
        }
        func removeScratch() { for scratch in [Scratch.making, .made] { DataFile.remove(scratch.path(of: path)) } }
        removeScratch()
        defer { removeScratch() }
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
