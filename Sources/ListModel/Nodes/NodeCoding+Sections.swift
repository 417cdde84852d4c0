// The sections of a stored leaf: the fields of each section, and the root of its rows.

extension SectionEntry {
    static func cache(of pool: NodePool) -> NodeCache<SectionEntry> { pool.sections }

    /// Writes sections whose rows are all stored, under the number `rows.stored`.
    static func encode(
        _ elements: UnsafeBufferPointer<SectionEntry>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?
    ) {
        let hasDepths = haveDepthsBelow(elements)
        for section in elements {
            writer.write(section.id)
            writer.write(section.title)
            writer.write(varint: UInt64(section.number))
            let top = section.rows
            writer.write(varint: UInt64(top.count))
            if top.count == 0 { continue }
            writer.write(varint: top.stored)
            writer.write(varint: UInt64(top.number))
            writer.write(fixed: top.hash)
            if hasDepths { writer.write(byte: top.lowestDepth) }
        }
    }

    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<SectionEntry>) -> Bool {
        elements.contains { $0.itemCount > 0 && $0.rows.lowestDepth > 0 }
    }

    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into sections: UnsafeMutablePointer<SectionEntry>
    ) -> Int {
        for index in 0..<count {
            let id = reader.readIdentifier()
            let title = reader.readString()
            let number = reader.readWord()
            var top = TreeChild<UntypedRow>.empty
            top.count = reader.readWord()
            if number >= Limits.sectionNumbers || top.count > Limits.rows { reader.fail() }
            if top.count > 0 {
                let stored = reader.readVarint()
                top.stored = stored
                top.number = reader.readWord()
                top.hash = reader.read(fixed: UInt64.self)
                top.lowestDepth = hasDepths ? reader.readByte() : 0
                if stored == 0 || stored >= Limits.storedNumbers || top.hash >= SequenceHash.modulus
                    || top.number >= Limits.placeNumbers
                    || top.lowestDepth > UntypedRow.maximumDepth
                {
                    reader.fail()
                }
            }
            if reader.isDamaged { return index }
            var entry = SectionEntry(id: id, title: title, number: number, rows: top)
            entry.seal()
            // SAFETY: there is room for `count` sections.
            sections.advanced(by: index).initialize(to: entry)
        }
        return count
    }

    static func unreadable() -> SectionEntry {
        var entry = SectionEntry(id: .string("unreadable"), title: "", number: 0, rows: .empty)
        entry.seal()
        return entry
    }
}
