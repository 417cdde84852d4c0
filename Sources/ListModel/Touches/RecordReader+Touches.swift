// What a record touches. Only what names rows and sections is read; contents are skipped.
//
// Always holds: the touches are those of the events that `readEvent` returns.

extension Commit {
    /// Calls `body` with each row and section that the commit changed, once for each event.
    ///
    /// - Throws: ``RecordError``; what `body` throws.
    /// - Complexity: O(bytes).
    package func forEachTouch(_ body: (RowOrSection, ChangeKinds) throws -> Void) throws {
        try record.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes, version: version, from: eventsOffset)
            for _ in 0..<eventCount { try reader.readTouches(body) }
        }
    }
}

extension RecordReader {
    /// Reads one event, and calls `body` with each row and section that it changes.
    mutating func readTouches(_ body: (RowOrSection, ChangeKinds) throws -> Void) throws {
        let start = self
        switch EventKind(rawValue: try readByte("an event")) {
        case .itemsInserted:
            try skipPath()
            try readRows(.inserted, body)
        case .itemsDeleted:
            try skipPath()
            try readRows(.deleted, body)
        case .itemsMoved:
            try skipPath()
            try skipPath()
            for _ in 0..<(try readCount("a number of rows")) { try body(.row(try readIdentifier()), .moved) }
        case .itemToggled:
            try skipPath()
            try body(.row(try readIdentifier()), .toggled)
            _ = try readBool("a checkmark")
        case .itemUpdated:
            try skipPath()
            try body(.row(try readIdentifier()), .updated)
            try skipContent()
            try skipContent()
        case .itemsIndented, .itemCollapsed, .sectionMoved, .sectionRenamed, .listReloaded, .annotated, nil:
            self = start
            try readEvent().forEachRareTouch(body)
        case .sectionInserted:
            _ = try readIndex("a section index")
            try readSection(.inserted, body)
        case .sectionDeleted:
            _ = try readIndex("a section index")
            try readSection(.deleted, body)
        }
    }

    private mutating func readSection(
        _ kinds: ChangeKinds, _ body: (RowOrSection, ChangeKinds) throws -> Void
    ) throws {
        try body(.section(try readIdentifier()), kinds)
        _ = try readBytes(try readCount("a title"), "a title")
        try readRows(kinds, body)
    }

    private mutating func readRows(
        _ kinds: ChangeKinds, _ body: (RowOrSection, ChangeKinds) throws -> Void
    ) throws {
        for _ in 0..<(try readCount("a number of rows")) {
            try body(.row(try readRowIdentifier().id), kinds)
            try skipContent()
        }
    }

    @inline(__always)
    private mutating func skipPath() throws {
        _ = (try readVarint("a section index"), try readVarint("a row index"))
    }

    @inline(__always)
    private mutating func skipContent() throws {
        let tag = try readVarint("a content")
        if tag & 2 == 0 {
            _ = try readBytes(Int(truncatingIfNeeded: min(tag &>> 2, UInt64(Int.max))), "a content")
        } else {
            _ = (try readVarint("a distance in versions"), try readVarint("an offset"))
            _ = try read(fixed: UInt64.self, "a content hash")
        }
    }
}

extension ListEvent {
    /// Calls `body` with what the event touches, if it is of a kind that is read as a whole.
    fileprivate func forEachRareTouch(_ body: (RowOrSection, ChangeKinds) throws -> Void) rethrows {
        switch self {
        case .itemsIndented(_, let ids, _): for id in ids { try body(.row(id), .outlined) }
        case .itemCollapsed(_, let id, _): try body(.row(id), .outlined)
        case .sectionMoved(_, _, let id): try body(.section(id), .moved)
        case .sectionRenamed(_, let id, _, _): try body(.section(id), .updated)
        case .listReloaded(let old, let new): try ListEvent.forEachTouch(from: old, to: new, body)
        default: break
        }
    }

    /// What a reload changes: the sections and rows that only one of the lists has, and those that differ. What stays in its
    /// section has moved if it has another place among all that stay there.
    private static func forEachTouch(
        from old: [ListSection], to new: [ListSection], _ body: (RowOrSection, ChangeKinds) throws -> Void
    ) rethrows {
        // Where each row was. A reload may have very many rows, so little is kept for each.
        var places = [UntypedID: ReloadedPlace](minimumCapacity: old.reduce(0) { $0 + $1.items.count })
        for (section, content) in old.enumerated() {
            for (item, row) in content.items.enumerated() {
                places[row.id] = ReloadedPlace(section: UInt32(section), item: UInt32(item))
            }
        }
        // Its place among the rows that stay in its section; -1 if it does not.
        var ranks = old.map { [Int32](repeating: -1, count: $0.items.count) }
        for section in new {
            for row in section.items {
                guard let place = places[row.id], old[Int(place.section)].id == section.id else { continue }
                ranks[Int(place.section)][Int(place.item)] = 0
            }
        }
        let stayingSections = Set(new.map(\.id))
        var sections: [UntypedID: (title: String, rank: Int)] = [:]
        for (index, section) in old.enumerated() {
            if stayingSections.contains(section.id) { sections[section.id] = (section.title, sections.count) }
            var rank = 0 as Int32
            for item in ranks[index].indices where ranks[index][item] >= 0 {
                ranks[index][item] = rank
                rank += 1
            }
        }
        var sectionRank = 0
        for section in new {
            if let before = sections[section.id] {
                var kinds: ChangeKinds = before.rank == sectionRank ? [] : .moved
                if !before.title.hasSameBytes(as: section.title) { kinds.insert(.updated) }
                if !kinds.isEmpty { try body(.section(section.id), kinds) }
                sectionRank += 1
            } else {
                try body(.section(section.id), .inserted)
            }
            var rank = 0 as Int32
            for row in section.items {
                guard let place = places.removeValue(forKey: row.id) else {
                    try body(.row(row.id), .inserted)
                    continue
                }
                let before = old[Int(place.section)].items[Int(place.item)]
                let rankBefore = ranks[Int(place.section)][Int(place.item)]
                var kinds: ChangeKinds = rankBefore == rank ? [] : .moved
                if rankBefore >= 0 { rank += 1 }
                if before.content.hash != row.content.hash { kinds.insert(.updated) }
                if before.isChecked != row.isChecked { kinds.insert(.toggled) }
                if before.outline != row.outline { kinds.insert(.outlined) }
                if !kinds.isEmpty { try body(.row(row.id), kinds) }
            }
        }
        for section in old {
            if sections[section.id] == nil { try body(.section(section.id), .deleted) }
            for row in section.items where places[row.id] != nil { try body(.row(row.id), .deleted) }
        }
    }
}

/// The place of a row in a list that a reload replaces.
private struct ReloadedPlace {
    let section: UInt32
    let item: UInt32
}
