// Finds one content in a block without a state: reads only the columns with the number and the positions of contents,
// one run of equal values at a time.

extension PackedBlock {
    /// Calls `body` with the bytes that `reference` points to, valid only until it returns.
    ///
    /// - Throws: ``RecordError`` if the block is damaged or holds no content at that place, or what `body` throws.
    /// - Complexity: O(commits of the block), at worst; a few microseconds.
    package func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let content = try self.content(reference.version, Int(reference.offset), Int(reference.length))
        return try withBytes(of: content, body)
    }

    /// A copy of the bytes of the content that lies at an offset in the record of a version.
    ///
    /// - Throws, Complexity: as ``withContent(of:_:)``.
    package func content(version: Version, offset: Int, length: Int) throws -> [UInt8] {
        try withBytes(of: content(version, offset, length)) { Array($0) }
    }

    /// Finds the content at an offset in the record of a version.
    private func content(_ version: Version, _ offset: Int, _ length: Int) throws -> PackedContent {
        _ = try checkedEnd(version)
        let place = try contents(of: Int(version.rawValue - first.rawValue))
        var bodies = try reader(.contentLengths)
        var frames = try reader(.contentFrames)
        var gaps = try reader(.contentGaps)
        var bodyOffset = contents.lowerBound
        bodyOffset += try bodies.sum(place.contentsBefore, most: contents.count, "length of contents")
        try frames.skip(place.contentsBefore)
        // Every content but the first of its commit has a gap before it.
        try gaps.skip(place.contentsBefore - place.startsBefore)
        var end = 0
        for index in 0..<place.count {
            let start = index == 0 ? place.start : Int64(end) &+ (try gaps.next())
            let content = try content(
                frame: frames.next(), bodyLength: bodies.next(), bodyOffset: bodyOffset, offset: start, after: end,
                gaps)
            if content.offset == offset && content.length == length { return content }
            if content.offset > offset { break }
            end = content.offset + content.length
            bodyOffset = content.body.upperBound
        }
        throw RecordError(
            version: version, offset: offset,
            problem: .invalid(what: "content", expected: "one of \(length) bytes", found: "none"))
    }

    /// The number of contents of a commit, the number before it, and the offset of the first in the record.
    private func contents(
        of commit: Int
    ) throws -> (count: Int, contentsBefore: Int, startsBefore: Int, start: Int64) {
        var counts = try reader(.contentCounts)
        var count: Int64 = 0
        var contentsBefore = 0
        var startsBefore = 0
        func check(_ count: Int64) throws {
            guard count >= 0 && count <= recordBytes && contentsBefore <= recordBytes else {
                throw counts.error(
                    "number of contents", expected: "at most \(recordBytes)", found: String(count))
            }
        }
        while counts.index < commit {
            let run = try counts.nextRun(commit - counts.index)
            // A difference other than 0 in a run means another number for each commit.
            for _ in 0..<(run.value == 0 ? 1 : run.count) {
                count &+= run.value
                try check(count)
                let commits = run.value == 0 ? run.count : 1
                contentsBefore += Int(count) * commits
                if count > 0 { startsBefore += commits }
            }
        }
        count &+= try counts.next()
        try check(count)
        var starts = try reader(.contentStarts)
        var start: Int64 = 0
        while starts.index < startsBefore {
            let run = try starts.nextRun(startsBefore - starts.index)
            start &+= run.value &* Int64(run.count)
        }
        if count > 0 { start &+= try starts.next() }
        return (Int(count), contentsBefore, startsBefore, start)
    }

    /// A content, checked to lie in the block, and in the record after the content before it.
    func content(
        frame: Int64, bodyLength: Int64, bodyOffset: Int, offset: Int64, after end: Int, _ column: ColumnReader
    ) throws -> PackedContent {
        guard frame >= 0 && frame <= frames.count else {
            throw column.error("frame", expected: "0 to \(frames.count)", found: String(frame))
        }
        guard bodyLength >= 0 && bodyLength <= Int64(contents.upperBound - bodyOffset) else {
            throw column.error(
                "length of a content", expected: "at most \(contents.upperBound - bodyOffset)",
                found: String(bodyLength))
        }
        var length = Int(bodyLength)
        if frame > 0 {
            let frame = frames[Int(frame) - 1]
            length += frame.prefix.count + frame.suffix.count
        }
        guard offset >= Int64(end) && offset <= Int64(PackedLimits.recordBytes - length) else {
            throw column.error(
                "offset of a content", expected: "\(end) to \(PackedLimits.recordBytes - length)",
                found: String(offset))
        }
        return PackedContent(
            frame: Int(frame), body: bodyOffset..<bodyOffset + Int(bodyLength), offset: Int(offset), length: length)
    }

    /// Calls `body` with the bytes of a content, joined with its affix.
    func withBytes<Result>(
        of content: PackedContent, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[content.body])
        if content.frame == 0 { return try body(rest) }
        let frame = frames[content.frame - 1]
        return try withUnsafeTemporaryAllocation(byteCount: content.length, alignment: 8) { buffer in
            // SAFETY: the buffer is as long as the three parts together, and they fill it.
            buffer.copyMemory(from: frame.prefix)
            UnsafeMutableRawBufferPointer(rebasing: buffer[frame.prefix.count...]).copyMemory(from: rest)
            UnsafeMutableRawBufferPointer(rebasing: buffer[(frame.prefix.count + rest.count)...])
                .copyMemory(from: frame.suffix)
            return try body(UnsafeRawBufferPointer(buffer))
        }
    }
}
