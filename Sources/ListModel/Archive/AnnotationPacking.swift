// Packs annotations: each value as a difference from an earlier one. `AnnotationUnpacking` unpacks them.
//
// Always holds: without annotations nothing is written, so blocks without annotations are the same in every version of
// the library.

/// Gathers the annotations of a block.
struct AnnotationPacking {
    private var names = CommitEncoder.NameTable()
    private var columns = [[Int64]](repeating: [], count: AnnotationColumn.allCases.count)
    /// Changes too long for a column.
    private var literals: [UInt8] = []

    private mutating func put(_ column: AnnotationColumn, _ value: Int64) { columns[column.rawValue].append(value) }

    /// Packs an annotation.
    mutating func append(_ name: String, _ value: [UInt8], _ context: inout AnnotationContext) {
        let number = Int(names.number(of: name))
        put(.names, Int64(number) - context.predictedName)
        context.noteName(number)
        let known = context.known[number + 1]
        let likely = Change(value, from: context.reference(number, isFromPrevious: known.isFromPrevious))
        let other = Change(value, from: context.reference(number, isFromPrevious: !known.isFromPrevious))
        let isOther = other.inserted.count < likely.inserted.count
        let change = isOther ? other : likely
        put(.sources, isOther ? 1 : 0)
        put(.replaced, Int64(change.replaced.count) - known.replaced)
        put(.suffixes, Int64(change.suffix) - known.suffix)
        put(.inserted, Int64(change.inserted.count) - known.inserted)
        var differences: [UInt8] = []
        if change.inserted.count > AnnotationContext.byteLimit {
            literals += change.inserted
        } else {
            let predicted = context.predictedBytes(number, change.replaced, count: change.inserted.count)
            for (byte, predicted) in zip(change.inserted, predicted) {
                put(.bytes, Int64(Int8(bitPattern: byte &- predicted)))
            }
            differences = AnnotationPacking.differences(change.inserted, change.replaced)
        }
        context.note(
            number,
            AnnotationContext.Known(
                value: value, isFromPrevious: isOther != known.isFromPrevious, replaced: Int64(change.replaced.count),
                suffix: Int64(change.suffix), inserted: Int64(change.inserted.count), differences: differences))
    }

    /// The differences of bytes from those that they replace.
    static func differences(_ inserted: ArraySlice<UInt8>, _ replaced: ArraySlice<UInt8>) -> [UInt8] {
        zip(inserted.indices, inserted).map { index, byte in
            let place = index - inserted.startIndex
            return place < replaced.count ? byte &- replaced[replaced.startIndex + place] : byte
        }
    }

    /// Writes the annotations; nothing if there are none.
    func write(to writer: inout ByteWriter) {
        if names.names.isEmpty { return }
        writer.write(count: names.names.count)
        for name in names.names { writer.write(name) }
        var parts = ByteWriter()
        for values in columns {
            let start = parts.count
            ColumnWriter(values).write(to: &parts)
            writer.write(count: parts.count - start)
        }
        parts.withBytes { writer.write(raw: $0) }
        literals.withUnsafeBytes { writer.write(raw: $0) }
    }

    /// The difference of two values: common prefix, common suffix, and the replaced bytes between them.
    private struct Change {
        var replaced: ArraySlice<UInt8>
        var inserted: ArraySlice<UInt8>
        var suffix: Int

        init(_ value: [UInt8], from old: [UInt8]) {
            let prefix = value[...].commonPrefix(with: old[...])
            suffix = value[prefix...].commonSuffix(with: old[prefix...])
            replaced = old[prefix..<old.count - suffix]
            inserted = value[prefix..<value.count - suffix]
        }
    }
}
