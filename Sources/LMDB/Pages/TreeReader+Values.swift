// Finds entries and reads their values, in the map or, where memory is given back, in copies of pages.
//
// Always holds: what is not right in a copy is looked for again in the map, where the place of the damage is known.

extension TreeReader {
    /// The value of a key, or nil if there is none.
    ///
    /// - Parameter name: the name of the database; nil for the unnamed one.
    @inline(__always)
    func value(
        _ key: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        guard let found = try find(key, in: try root(named: name)) else { return nil }
        return try value(of: found)
    }

    /// The value of a key, or nil if there is none; from a copy of its leaf or of its own page, unless it has several. To map
    /// a page and to unmap it again takes several times as long as to copy it, because the system maps those around it as
    /// well. If memory is given back, branches are copied too: the system may map two megabytes around each of them.
    ///
    /// - Parameter buffer: memory for a page.
    func value(
        _ key: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?, copying buffer: PageBuffer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        do throws(LMDBError) { return try entry(key, named: name, buffer, orBefore: false)?.value } catch {
            return try value(key, named: name)
        }
    }

    /// The entry of a number, or the one before it in the same leaf; nil if there is none.
    ///
    /// - Parameter buffer: memory for a page, into which the leaf or the value's own page is copied; nil to read in the map.
    func entryInLeaf(
        atOrBefore key: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?, copying buffer: PageBuffer?
    ) throws(LMDBError) -> (key: UInt64, value: UnsafeRawBufferPointer)? {
        var found: (key: UInt64?, value: UnsafeRawBufferPointer)?
        if let buffer {
            do throws(LMDBError) { found = try entry(key, named: name, buffer, orBefore: true) } catch {
                return try entryInLeaf(atOrBefore: key, named: name, copying: nil)
            }
        } else if let node = try find(key, in: try root(named: name), orBefore: true) {
            found = (TreeReader.number(node.key), try value(of: node))
        }
        return found.flatMap { found in found.key.map { ($0, found.value) } }
    }

    /// An entry by copies.
    ///
    /// - Returns: the key, if it is a number, and the value.
    @inline(__always)
    private func entry(
        _ key: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?, _ buffer: PageBuffer, orBefore: Bool
    ) throws(LMDBError) -> (key: UInt64?, value: UnsafeRawBufferPointer)? {
        let way = copying == nil ? nil : buffer
        let tree = try root(named: name, way)
        guard let node = try find(key, in: tree, way, leaf: buffer, orBefore: orBefore) else { return nil }
        // Before its leaf may be overwritten.
        let number = TreeReader.number(node.key)
        let found = try value(of: node, buffer)
        if !buffer.bytes.contains(found) { buffer.pages.noteMapping(ofValue: found.count) }
        return (number, found)
    }

    /// The value of an entry.
    ///
    /// - Parameter buffer: memory for its page if it has a single one of its own; the entry is then overwritten.
    @inline(__always)
    func value(of node: SoundNode, _ buffer: PageBuffer? = nil) throws(LMDBError) -> UnsafeRawBufferPointer {
        let flags = node.bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        let size = node.valueSize
        let content = node.bytes + (SoundPage.nodeHeaderSize + node.keySize)
        if flags & 1 == 0, flags <= 2, size <= node.room { return UnsafeRawBufferPointer(start: content, count: size) }
        guard flags == 1, node.room >= 8 else {
            throw damage("value", at: node.bytes, "at most \(node.room) bytes, flags 0 to 2", "\(size), \(flags)")
        }
        return try largeValue(content.loadUnaligned(as: UInt64.self), size, from: node, buffer)
    }

    private func largeValue(
        _ number: UInt64, _ size: Int, from node: SoundNode, _ buffer: PageBuffer?
    ) throws(LMDBError) -> UnsafeRawBufferPointer {
        let needed = UInt64((SoundPage.headerSize - 1 + size) / pageSize + 1)
        guard number >= 2, number < limit, needed <= limit - number else {
            throw damage(
                "reference to a large value", at: node.bytes, "\(needed) pages below \(limit)", "page \(number)")
        }
        if needed == 1, let buffer, let copy = buffer.bytes.baseAddress, buffer.pages.copy(number, into: buffer.bytes),
            TreeReader.beginsLargeValue(copy, number, pages: needed)
        {
            return UnsafeRawBufferPointer(start: copy + SoundPage.headerSize, count: size)
        }
        // SAFETY: all pages that the value needs are in the file and the map.
        let bytes = start + Int(number) * pageSize
        guard TreeReader.beginsLargeValue(bytes, number, pages: needed) else {
            let found = bytes.loadUnaligned(fromByteOffset: PageOffset.pgno, as: UInt64.self)
            let flags = bytes.loadUnaligned(fromByteOffset: PageOffset.flags, as: UInt16.self)
            let pages = bytes.loadUnaligned(fromByteOffset: PageOffset.pages, as: UInt32.self)
            throw damage(
                "header of a large value", at: bytes, "page \(number), flags 0x4, at least \(needed) pages",
                "page \(found), flags \(hexadecimal(flags)), \(pages) pages"
            )
        }
        return UnsafeRawBufferPointer(start: bytes + SoundPage.headerSize, count: size)
    }

    /// Whether a page is the first one of a value that has so many.
    private static func beginsLargeValue(_ page: UnsafeRawPointer, _ number: UInt64, pages: UInt64) -> Bool {
        page.loadUnaligned(fromByteOffset: PageOffset.pgno, as: UInt64.self) == number
            && page.loadUnaligned(fromByteOffset: PageOffset.flags, as: UInt16.self) == 4
            && UInt64(page.loadUnaligned(fromByteOffset: PageOffset.pages, as: UInt32.self)) >= pages
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Whether some bytes begin in this memory.
    fileprivate func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let place = bytes.baseAddress else { return false }
        return (UnsafeRawPointer(start)..<UnsafeRawPointer(start) + count).contains(place)
    }
}
