// Sorting and grouping of a query.

import ListModel

/// Which of two rows comes first.
public enum QueryDirection: Sendable {
    /// The lesser key first.
    case ascending
    /// The greater key first.
    case descending
}

/// The section of a view that has all rows in one.
public enum AllRows: String, SectionIdentifier {
    /// The only section.
    case all
}

extension ListQuery {
    /// Sorts the rows of each section by a key. Rows of equal keys keep the order of the list.
    ///
    /// - Parameters:
    ///   - direction: ascending or descending.
    ///   - key: the sort key, a function of the row alone; nil comes last in both directions.
    public func sorted<Key: Comparable & Sendable>(
        _ direction: QueryDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key?
    ) -> ListQuery {
        changing { rules in
            rules.keys = [{ try QueryKey.of(key($0)) }]
            rules.descending = [direction == .descending]
        }
    }

    /// Sorts the rows of each section by a property of their items.
    public func sorted<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key> & Sendable, _ direction: QueryDirection = .ascending
    ) -> ListQuery {
        sorted(direction) { try $0.item?[keyPath: key] }
    }

    /// Sorts the rows of each section by an optional property of their items; nil comes last.
    public func sorted<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key?> & Sendable, _ direction: QueryDirection = .ascending
    ) -> ListQuery {
        sorted(direction) { try $0.item?[keyPath: key] }
    }

    /// Sorts rows of equal keys by another key.
    public func then<Key: Comparable & Sendable>(
        _ direction: QueryDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key?
    ) -> ListQuery {
        changing { rules in
            rules.keys.append { try QueryKey.of(key($0)) }
            rules.descending.append(direction == .descending)
        }
    }

    /// Sorts rows of equal keys by a property of their items.
    public func then<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key> & Sendable, _ direction: QueryDirection = .ascending
    ) -> ListQuery {
        then(direction) { try $0.item?[keyPath: key] }
    }
}

// MARK: - Sections

extension ListQuery {
    /// Groups rows with equal keys into sections, in the order of the keys. Sections appear and disappear with their
    /// rows. Strings are equal as in Swift: two ways to write an accented letter are one key, in the way that was met first.
    ///
    /// - Parameters:
    ///   - direction: whether the section of the least key is first or last.
    ///   - key: the key of a row, a function of the row alone. Every row needs one: give rows without a project a
    ///     separate section (`{ try $0.item?.project ?? "None" }`), or leave them out with `filter`.
    ///   - title: what the header of a section shows.
    public func grouped<Key: SectionIdentifier & Comparable>(
        _ direction: QueryDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key,
        title: @escaping @Sendable (Key) -> String = { "\($0)" }
    ) -> ListQuery<Key, Item> {
        let isDescending = direction == .descending
        return grouped(by: key, title: title) { isDescending ? QueryKey(Descending(key: $0)) : QueryKey.of($0) }
    }

    /// Groups rows with equal keys into sections, in a given order; sections of other keys follow them.
    ///
    /// - Parameters:
    ///   - key: the key of a row, a function of the row alone. Every row needs one.
    ///   - order: the keys in the order of their sections.
    ///   - title: what the header of a section shows.
    public func grouped<Key: SectionIdentifier>(
        by key: @escaping @Sendable (Row) throws -> Key, inOrder order: [Key],
        title: @escaping @Sendable (Key) -> String = { "\($0)" }
    ) -> ListQuery<Key, Item> {
        let places = Dictionary(zip(order, order.indices)) { first, _ in first }
        return grouped(by: key, title: title) { places[$0].map { QueryKey($0) } ?? .absent }
    }

    private func grouped<Key: SectionIdentifier>(
        by key: @escaping @Sendable (Row) throws -> Key, title: @escaping @Sendable (Key) -> String,
        order: @escaping @Sendable (Key) -> QueryKey
    ) -> ListQuery<Key, Item> {
        // Equal strings may have different bytes, and so different untyped ids. That of the first one is used for all.
        let known = Locked<[Key: UntypedID]>([:])
        let id: @Sendable (Key) -> UntypedID = { key in
            let id = key.untypedID
            guard case .string = id else { return id }
            return known.withLock { known in
                if let first = known[key] { return first }
                known[key] = id
                return id
            }
        }
        return changing { rules in
            rules.sections = .groups
            rules.group = { row in
                let key = try key(row)
                return QueryGroup(id: id(key), title: title(key), order: order(key))
            }
            rules.groupID = { found in Key(untypedID: found).map(id) ?? found }
        }.withSections(Key.self)
    }

    /// Puts all rows into one section: in their sorted order or, without sorting, those of the first section of the
    /// list, then those of the second, and so on.
    ///
    /// - Parameter title: the title in its header.
    public func inOneSection(title: String = "") -> ListQuery<AllRows, Item> {
        changing { rules in
            rules.sections = .one(QueryGroup(id: AllRows.all.untypedID, title: title, order: .absent))
            (rules.group, rules.groupID) = (nil, nil)
        }.withSections(AllRows.self)
    }

    /// Hides empty sections. Sections of ``grouped(_:by:title:)`` are never empty.
    public func hidingEmptySections() -> ListQuery {
        changing { $0.hidesEmptySections = true }
    }
}

/// A key in reversed order.
private struct Descending<Key: Comparable & Sendable>: Comparable, Sendable {
    let key: Key

    static func < (left: Descending, right: Descending) -> Bool { right.key < left.key }
}

extension QueryKey {
    /// The key of a value.
    fileprivate static func of<Value: Comparable & Sendable>(_ value: Value?) -> QueryKey {
        value.map { QueryKey($0) } ?? .absent
    }
}
