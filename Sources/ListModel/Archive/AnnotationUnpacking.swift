// Unpacking the annotations of a block. `AnnotationPacking` packs them; what one writes, the other reads.
//
// Always holds: all bytes are checked; a value is no longer than the remaining budget of records.

/// Reads the annotations of a block one after another.
struct AnnotationUnpacking {
    private let names: [String]
    private var columns: [ColumnReader] = []
    private var literals: RecordReader

    /// Reads the annotations at the position of a reader.
    ///
    /// - Parameter end: where they end.
    init(_ reader: RecordReader, _ end: Int) throws {
        var reader = reader
        names = try reader.readNames()
        let lengths = try AnnotationColumn.allCases.map { _ in try reader.readCount("the length of a column") }
        for length in lengths {
            let start = reader.offset
            _ = try reader.readBytes(length, "a column")
            columns.append(try ColumnReader(reader.bytes, start..<start + length, version: reader.version))
        }
        literals = reader
    }

    @inline(__always)
    private mutating func next(_ column: AnnotationColumn) throws -> Int64 { try columns[column.rawValue].next() }

    /// The next annotation.
    ///
    /// - Parameter size: the most bytes that its value may have.
    mutating func next(_ context: inout AnnotationContext, atMost size: Int) throws -> CommitAnnotation {
        let number = context.predictedName &+ (try next(.names))
        let count = min(names.count, context.nameCount + 1)
        guard number >= 0 && number < Int64(count) else {
            throw error(.names, "name of an annotation", expected: "one of \(count)", found: String(number))
        }
        let name = Int(number)
        context.noteName(name)
        let known = context.known[name + 1]
        let source = try next(.sources)
        guard source == 0 || source == 1 else {
            throw error(.sources, "source of an annotation", expected: "0 or 1", found: String(source))
        }
        let isFromPrevious = known.isFromPrevious != (source == 1)
        let old = context.reference(name, isFromPrevious: isFromPrevious)
        let replaced = known.replaced &+ (try next(.replaced))
        let suffix = known.suffix &+ (try next(.suffixes))
        let inserted = known.inserted &+ (try next(.inserted))
        let length = Int64(old.count)
        guard replaced >= 0, suffix >= 0, replaced <= length, suffix <= length - replaced, inserted >= 0,
            inserted <= Int64(size), length - replaced <= Int64(size) - inserted
        else {
            throw error(
                .inserted, "annotation", expected: "a change of \(length) bytes to at most \(size)",
                found: "\(inserted) instead of \(replaced) before the last \(suffix)")
        }
        let range = old.count - Int(suffix) - Int(replaced)..<old.count - Int(suffix)
        var value = Array(old[..<range.lowerBound])
        let start = value.count
        let predicted = context.predictedBytes(
            name, old[range], count: min(Int(inserted), AnnotationContext.byteLimit))
        try appendBytes(Int(inserted), predicted, to: &value)
        let differences =
            inserted > Int64(AnnotationContext.byteLimit)
            ? [] : AnnotationPacking.differences(value[start...], old[range])
        value += old[range.upperBound...]
        context.note(
            name,
            AnnotationContext.Known(
                value: value, isFromPrevious: isFromPrevious, replaced: replaced, suffix: suffix, inserted: inserted,
                differences: differences))
        return CommitAnnotation(name: names[name], value: value)
    }

    private mutating func appendBytes(_ count: Int, _ predicted: [UInt8], to value: inout [UInt8]) throws {
        if count > AnnotationContext.byteLimit {
            value += try literals.readBytes(count, "an annotation")
            return
        }
        for index in 0..<count {
            let difference = UInt8(truncatingIfNeeded: try next(.bytes))
            value.append(predicted[index] &+ difference)
        }
    }

    private func error(_ column: AnnotationColumn, _ what: String, expected: String, found: String) -> RecordError {
        columns[column.rawValue].error(what, expected: expected, found: found)
    }
}
