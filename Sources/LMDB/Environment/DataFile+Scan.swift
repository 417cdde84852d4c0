// Opens a data file for a scan of its pages.
//
// Always holds: a file that this process has open is not scanned, because closing a second descriptor of it would drop
// LMDB's locks.

extension DataFile {
    /// Calls `body` with a scan of a file that this process does not have open, and keeps it from being opened
    /// meanwhile. Other processes may have it open.
    ///
    /// - Throws: ``LMDBError``: `alreadyOpen`; `engine` if the file is missing or cannot be read; what `body` throws.
    package static func scan<Result>(_ path: String, _ body: (PageScan) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        try EnvironmentRegistry.shared.withClosedFile(path, "DataFile.scan") { () throws(LMDBError) in
            guard let file = try RawFile(path) else {
                throw LMDBError(.engine(.noSuchFile), in: "DataFile.scan", detail: path)
            }
            let scan = try PageScan(file)
            result = Swift.Result { try body(scan) }
        }
        guard let result else { preconditionFailure("the closure was called, or its error thrown") }
        return try result.get()
    }
}
