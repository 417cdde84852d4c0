// Reads the entries of a data file that may be damaged, without LMDB and without a map.
//
// First the trees of the newest version are walked as far as their pages are sound. Then every page that the walk has
// not used is searched for entries: those of a tree whose upper pages are damaged, and those of older versions. Whether
// such an entry is what it seems to be, only a checksum in its value can tell.
//
// Always holds: the file is only read, with ordinary reads; every number is checked before it is used; each page is
// used once in the walk. Work and memory are bounded by the length of the file: large values, to which any number of entries may
// refer, have together at most sixteen times as many bytes.

/// The entries of a data file that may be damaged.
///
/// `@unchecked Sendable`: one thread at a time uses it.
package final class PageScan: @unchecked Sendable {
    /// A value in the file.
    package struct Place: Hashable, Sendable {
        package let offset: Int
        package let count: Int

        package init(offset: Int, count: Int) {
            self.offset = offset
            self.count = count
        }
    }

    /// An entry that was found.
    package struct Entry {
        /// The name of its database, empty for the unnamed one; nil if it is on a page that no sound path leads to.
        package let database: [UInt8]?
        package let key: [UInt8]
        package let value: Place
        /// The page that it is on.
        package let page: Int
    }

    /// The size of a page in bytes.
    package let pageSize: Int
    /// How many whole pages the file has.
    package let pageCount: Int
    /// How many references to pages led to no sound page, damaged meta pages and missing ones included.
    package private(set) var damageCount = 0
    /// The names of the trees with such a reference, empty for the unnamed one.
    package private(set) var damagedTrees: Set<[UInt8]> = []
    /// How many pages the device could not read.
    package var unreadablePageCount: Int { unreadablePages.count }
    /// How many bytes the file has.
    package let length: Int

    private let file: any PageSource
    private let meta: MetaPage?
    private var visited: [Bool]
    private var unreadablePages: Set<Int> = []
    /// How many bytes the large values have together that entries led to.
    private var largeSize = 0
    /// The large values that loose entries led to: their keys and first pages. Old versions of a leaf have the same ones.
    private var looseLarge: Set<[UInt8]> = []

    /// Reads the meta pages of a file.
    init(_ file: any PageSource) throws(LMDBError) {
        self.file = file
        length = try file.length()
        let metas = PageScan.metaPages(file)
        let newest = metas.max { $0.transaction < $1.transaction }
        meta = newest
        pageSize = newest?.pageSize ?? PageScan.guessedPageSize(file, length)
        pageCount = length / pageSize
        visited = Array(repeating: false, count: pageCount)
        damageCount = 2 - metas.count
        if let newest, length < newest.requiredLength { damageCount += 1 }
    }

    /// The sound meta pages.
    private static func metaPages(_ file: any PageSource) -> [MetaPage] {
        func page(_ number: Int, _ pageSize: Int) -> MetaPage? {
            let size = MetaPage.headerSize + MetaPage.size
            guard let bytes = try? file.bytes(at: number * pageSize, count: size) else { return nil }
            return try? MetaPage(bytes, number: number, pageSize: number == 0 ? nil : pageSize)
        }
        let first = page(0, 0)
        // The page size is also known from the second page, which says where it is itself.
        let sizes = first.map { [$0.pageSize] } ?? (8...15).map { 1 << $0 }
        let second = sizes.lazy.compactMap { page(1, $0) }.first
        return [first, second].compactMap { $0 }
    }

    /// The page size at which the most pages have their own number.
    private static func guessedPageSize(_ file: any PageSource, _ length: Int) -> Int {
        var best = (size: 4_096, count: 0)
        for shift in (9...15).reversed() {
            let size = 1 << shift
            var count = 0
            for number in stride(from: 2, to: min(length / size, 4_096), by: 1) {
                guard let page = try? file.bytes(at: number * size, count: MetaPage.headerSize),
                    page.count == MetaPage.headerSize, page.load(PageOffset.pgno, as: UInt64.self) == UInt64(number)
                else { continue }
                count += 1
            }
            if count > best.count { best = (size, count) }
        }
        return best.size
    }
}

// MARK: - Reading

extension PageScan {
    /// The bytes at a place; fewer where the file ends, none where the device fails.
    ///
    /// - Throws: errors that may be temporary.
    package func bytes(at place: Place) throws(LMDBError) -> [UInt8] {
        guard let page = try read(place.offset, place.count) else { return [] }
        return page.copy(0..<page.count)
    }

    /// The bytes at a place: zeros for a page that the device cannot read; fewer where the file ends.
    ///
    /// - Throws: errors that may be temporary.
    package func readableBytes(at place: Place) throws(LMDBError) -> [UInt8] {
        let end = min(place.offset + place.count, length)
        guard place.offset < end else { return [] }
        do throws(LMDBError) {
            let all = try file.bytes(at: place.offset, count: end - place.offset)
            return all.copy(0..<all.count)
        } catch {
            guard error.code == .inputOutput else { throw error }
        }
        // Page by page.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end - place.offset)
        var offset = place.offset
        while offset < end {
            let next = min(end, (offset / pageSize + 1) * pageSize)
            let page = try read(offset, next - offset)
            bytes += page.map { $0.copy(0..<$0.count) } ?? [UInt8](repeating: 0, count: next - offset)
            offset = next
        }
        return bytes
    }

    private func read(_ offset: Int, _ count: Int) throws(LMDBError) -> RawPage? {
        guard offset >= 0, count >= 0, offset <= length else { return nil }
        do throws(LMDBError) {
            return try file.bytes(at: offset, count: min(count, length - offset))
        } catch {
            guard error.code == .inputOutput else { throw error }
            unreadablePages.insert(offset / pageSize)
            return nil
        }
    }

    private func page(_ number: UInt64) throws(LMDBError) -> RawPage? {
        guard number >= 2, number < UInt64(pageCount) else { return nil }
        guard let page = try read(Int(number) * pageSize, pageSize), page.count == pageSize else { return nil }
        return page
    }
}

// MARK: - The trees

extension PageScan {
    /// Calls `body` with every entry of every tree of the newest version whose way is sound.
    package func forEachEntry(_ body: (Entry) throws -> Void) throws {
        guard let meta else { return }
        var trees: [(name: [UInt8], record: TreeRecord)] = [([], meta.main)]
        while let (name, record) = trees.popLast() {
            guard record.root != TreeRecord.noPage else { continue }
            guard (1...TreeRecord.maximumDepth).contains(Int(record.depth)) else {
                damageCount += 1
                continue
            }
            let way = Way(name: name, levelsBelow: Int(record.depth) - 1, lower: nil, upper: nil)
            try walk(record.root, way) { node, page in
                let key = page.raw.copy(node.key)
                if case .tree(let range) = node.content {
                    if name.isEmpty { trees.append((key, TreeRecord(page.raw, at: range.lowerBound))) }
                } else {
                    try body(
                        Entry(
                            database: name, key: key, value: try place(of: node, page.raw),
                            page: page.raw.offset / pageSize))
                }
            }
        }
    }

    /// A page's place in a tree.
    private struct Way {
        let name: [UInt8]
        let levelsBelow: Int
        let lower: [UInt8]?
        let upper: [UInt8]?
    }

    private func walk(
        _ number: UInt64, _ way: Way, _ body: (TreePage.Node, TreePage) throws -> Void
    ) throws {
        guard let raw = try page(number), !visited[Int(number)], raw.load(PageOffset.pgno, as: UInt64.self) == number,
            let page = try? TreePage(raw, number: number, isLeaf: way.levelsBelow == 0, isFreeTree: false),
            (try? page.checkOrder(lower: way.lower, upper: way.upper, isFreeTree: false)) != nil
        else {
            damageCount += 1
            damagedTrees.insert(way.name)
            return
        }
        visited[Int(number)] = true
        for (index, node) in page.nodes.enumerated() {
            if way.levelsBelow == 0 {
                try body(node, page)
                continue
            }
            let isLast = index + 1 == page.nodes.count
            let below = Way(
                name: way.name, levelsBelow: way.levelsBelow - 1, lower: index == 0 ? way.lower : raw.copy(node.key),
                upper: isLast ? way.upper : raw.copy(page.nodes[index + 1].key))
            try walk(node.childPage, below, body)
        }
    }

    /// The place of the value of a leaf's entry.
    private func place(of node: TreePage.Node, _ raw: RawPage) throws(LMDBError) -> Place {
        switch node.content {
        case .inside(let range), .tree(let range):
            return Place(offset: raw.offset + range.lowerBound, count: range.count)
        case .overflow(let first, let size):
            guard let place = largePlace(first, size) else {
                damageCount += 1
                return Place(offset: length, count: size)
            }
            let end = Int(first) + pageCount(ofLarge: size)
            if try isLarge(first, size), end <= pageCount, !visited[Int(first)..<end].contains(true) {
                for number in Int(first)..<end { visited[number] = true }
            } else {
                // The pages may be those of something else, so they are searched as well.
                damageCount += 1
            }
            return place
        }
    }

    /// How many pages a large value has.
    private func pageCount(ofLarge size: Int) -> Int { (MetaPage.headerSize + size + pageSize - 1) / pageSize }

    /// The place of a large value, whatever is there; nil if that is not in the file, or if large values have too many bytes by now.
    private func largePlace(_ first: UInt64, _ size: Int) -> Place? {
        guard first >= 2, first < UInt64(pageCount), largeSize / 16 <= length else { return nil }
        let offset = Int(first) * pageSize + MetaPage.headerSize
        largeSize += min(size, length - offset)
        return Place(offset: offset, count: size)
    }

    /// Whether a page says that it is the first one of a large value of that size.
    private func isLarge(_ first: UInt64, _ size: Int) throws(LMDBError) -> Bool {
        guard let header = try read(Int(first) * pageSize, MetaPage.headerSize), header.count == MetaPage.headerSize
        else { return false }
        return header.load(PageOffset.pgno, as: UInt64.self) == first
            && header.load(PageOffset.flags, as: UInt16.self) == 0x04
            && Int(header.load(PageOffset.pages, as: UInt32.self)) >= pageCount(ofLarge: size)
    }
}

// MARK: - The other pages

extension PageScan {
    /// Calls `body` with everything that may be an entry on pages that ``forEachEntry(_:)`` has not used.
    package func forEachLooseEntry(_ body: (Entry) throws -> Void) throws {
        for number in 2..<max(2, pageCount) where !visited[number] {
            guard let raw = try page(UInt64(number)) else { continue }
            var first = pageSize
            var pointer = MetaPage.headerSize
            // Offsets of nodes lie before the first node.
            while pointer + 2 <= first {
                let place = Int(raw.load(pointer, as: UInt16.self))
                pointer += 2
                guard place % 2 == 0, place >= pointer, place + 8 <= pageSize else { continue }
                guard let entry = try looseEntry(raw, at: place) else { continue }
                first = min(first, place)
                try body(entry)
            }
        }
    }

    /// What may be an entry of a leaf, at a place in a page.
    private func looseEntry(_ raw: RawPage, at place: Int) throws(LMDBError) -> Entry? {
        let size = Int(raw.load(place, as: UInt32.self))
        let flags = raw.load(place + 4, as: UInt16.self)
        let keySize = Int(raw.load(place + 6, as: UInt16.self))
        let start = place + 8 + keySize
        guard keySize > 0, keySize <= 511, start <= pageSize else { return nil }
        let key = raw.copy(place + 8..<start)
        if flags == 0, start + size <= pageSize {
            return Entry(
                database: nil, key: key, value: Place(offset: raw.offset + start, count: size),
                page: raw.offset / pageSize)
        }
        guard flags == 1, start + 8 <= pageSize else { return nil }
        let first = raw.load(start, as: UInt64.self)
        guard first >= 2, first < UInt64(pageCount), try isLarge(first, size),
            looseLarge.insert(key + raw.copy(start..<start + 8)).inserted, let place = largePlace(first, size)
        else { return nil }
        return Entry(database: nil, key: key, value: place, page: raw.offset / pageSize)
    }

    /// Calls `body` with the pages that ``forEachEntry(_:)`` has not used, as runs of neighbours.
    package func forEachLooseRun(_ body: (Place) throws -> Void) throws {
        var number = 2
        while number < pageCount {
            let start = number
            while number < pageCount && !visited[number] { number += 1 }
            if number > start {
                // The file may end in the middle of a page.
                let end = number == pageCount ? length : number * pageSize
                try body(Place(offset: start * pageSize, count: end - start * pageSize))
            }
            number += 1
        }
    }
}
