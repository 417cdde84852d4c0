// The size of the map: growing it, and following another process that grew it.
//
// Always holds: sizes are multiples of `Options.mapGranularity`; a change waits for the live transactions of this
// process, up to `resizeTimeout`. A size that does not fit into the address space is refused beforehand, because LMDB
// unmaps the old map first and could not restore it.

extension Environment {
    /// The map's size in bytes, now.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`.
    public var mapSize: Int {
        get throws(LMDBError) { try information.mapSize }
    }

    /// Makes the map larger. Does nothing when it is that large already.
    ///
    /// Rarely needed, because `write` grows the map by itself. If the map grows beforehand, a large write need not run
    /// twice.
    ///
    /// - Parameter size: The size wanted, in bytes; rounded up to ``Options/mapGranularity``.
    /// - Throws: ``LMDBError``: `mapFull` when `size` is over `maximumMapSize`; `resizeBlocked` when live
    ///   transactions of this process did not end within `resizeTimeout` (a call inside of a `read` or `write`
    ///   closure waits for itself and ends so); `sizeUnavailable`; `forked`; `closed`.
    public func growMap(to size: Int) throws(LMDBError) {
        try requireOwnProcess("Environment.growMap")
        let wanted = Engine.roundedMapSize(size)
        let maximum = Engine.roundedMapSize(max(options.maximumMapSize, options.mapSize))
        guard wanted <= maximum else {
            throw LMDBError(
                .mapFull(size: try mapSize, maximum: maximum), in: "Environment.growMap",
                detail: "asked for \(wanted) bytes"
            )
        }
        try gate.exclusively("Environment.growMap", timeout: options.resizeTimeout) { () throws(LMDBError) in
            if try Engine.information(handle).mapSize < wanted { try changeMap(to: wanted) }
        }
    }

    /// Doubles a map that was full at `size` bytes, or takes it to the maximum.
    ///
    /// - Throws: ``LMDBError``: `mapFull` when it is at the maximum, and what ``growMap(to:)`` throws.
    func growMap(fullAt size: Int) throws(LMDBError) {
        let maximum = Engine.roundedMapSize(max(options.maximumMapSize, options.mapSize))
        guard size < maximum else {
            throw LMDBError(.mapFull(size: size, maximum: maximum), in: "Environment.write")
        }
        let (double, overflow) = size.multipliedReportingOverflow(by: 2)
        try growMap(to: overflow ? maximum : min(double, maximum))
    }

    /// Takes over the size that another process gave the map.
    ///
    /// - Throws: ``LMDBError``: `resizeBlocked`, `sizeUnavailable`, `mapLost`.
    func adoptMapSize() throws(LMDBError) {
        try gate.exclusively("Environment.adoptMapSize", timeout: options.resizeTimeout) { () throws(LMDBError) in
            // SAFETY: no transaction of this process is live: the gate is held exclusively.
            try changeMap(to: 0)
            try Self.roundMapSize(handle)
        }
    }

    /// Changes the map; the gate is held exclusively.
    private func changeMap(to size: Int) throws(LMDBError) {
        guard Platform.canMap(size == 0 ? Options.mapGranularity : size) else {
            throw LMDBError(.sizeUnavailable(requested: size), in: "mdb_env_set_mapsize")
        }
        do throws(LMDBError) {
            // SAFETY: no transaction of this process is live: the gate is held exclusively.
            try Engine.setMapSize(handle, size)
        } catch {
            gate.loseMap()
            throw error
        }
    }
}
