// In which order a query shows rows, and in which sections.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which of two rows comes first.
public enum ViewDirection: Sendable {
    /// The one with the lesser key.
    case ascending
    /// The one with the greater key.
    case descending
}

/// The section of a view that has all rows in one.
public enum AllRows: String, IdentifierConvertible {
    /// The only section.
    case all
}

extension ViewQuery {
    /// Rows in the order of a key, within each section. Rows of equal keys stand as they do in the list.
    ///
    /// - Parameters:
    ///   - direction: ascending or descending.
    ///   - key: what a row is sorted by, a function of the row alone; nil for last, whatever the direction.
    public func sorted<Key: Comparable & Sendable>(
        _ direction: ViewDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key?
    ) -> ViewQuery {
        changing { rules in
            rules.keys = [{ try ViewKey.of(key($0)) }]
            rules.descending = [direction == .descending]
        }
    }

    /// Rows in the order of a property of their items.
    public func sorted<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key> & Sendable, _ direction: ViewDirection = .ascending
    ) -> ViewQuery {
        sorted(direction) { try $0.item[keyPath: key] }
    }

    /// Rows in the order of a property of their items that may be missing; then they come last.
    public func sorted<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key?> & Sendable, _ direction: ViewDirection = .ascending
    ) -> ViewQuery {
        sorted(direction) { try $0.item[keyPath: key] }
    }

    /// Rows that are equal so far in the order of another key.
    public func then<Key: Comparable & Sendable>(
        _ direction: ViewDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key?
    ) -> ViewQuery {
        changing { rules in
            rules.keys.append { try ViewKey.of(key($0)) }
            rules.descending.append(direction == .descending)
        }
    }

    /// Rows that are equal so far in the order of a property of their items.
    public func then<Key: Comparable & Sendable>(
        by key: any KeyPath<Item, Key> & Sendable, _ direction: ViewDirection = .ascending
    ) -> ViewQuery {
        then(direction) { try $0.item[keyPath: key] }
    }
}

// MARK: - Sections

extension ViewQuery {
    /// Sections of rows that have the same key, in the order of the keys. They come and go with their rows.
    ///
    /// - Parameters:
    ///   - direction: whether the section of the least key is first or last.
    ///   - key: the section of a row, a function of the row alone; a row without one is left out.
    ///   - title: what the header of a section shows.
    public func grouped<Key: IdentifierConvertible & Comparable>(
        _ direction: ViewDirection = .ascending, by key: @escaping @Sendable (Row) throws -> Key?,
        title: @escaping @Sendable (Key) -> String = { "\($0)" }
    ) -> ViewQuery<Key, Item> {
        let isDescending = direction == .descending
        return grouped(by: key, title: title) { isDescending ? ViewKey(Descending(key: $0)) : ViewKey.of($0) }
    }

    /// Sections of rows that have the same key, in a given order; sections of other keys come after them.
    ///
    /// - Parameters:
    ///   - key: the section of a row, a function of the row alone; a row without one is left out.
    ///   - order: the keys in the order of their sections.
    ///   - title: what the header of a section shows.
    public func grouped<Key: IdentifierConvertible>(
        by key: @escaping @Sendable (Row) throws -> Key?, inOrder order: [Key],
        title: @escaping @Sendable (Key) -> String = { "\($0)" }
    ) -> ViewQuery<Key, Item> {
        let places = Dictionary(zip(order, order.indices)) { first, _ in first }
        return grouped(by: key, title: title) { places[$0].map { ViewKey($0) } ?? .absent }
    }

    private func grouped<Key: IdentifierConvertible>(
        by key: @escaping @Sendable (Row) throws -> Key?, title: @escaping @Sendable (Key) -> String,
        order: @escaping @Sendable (Key) -> ViewKey
    ) -> ViewQuery<Key, Item> {
        changing { rules in
            rules.sections = .groups
            rules.group = { row in
                guard let key = try key(row) else { return nil }
                return ViewGroup(id: key.identifier, title: title(key), order: order(key))
            }
        }.withSections(Key.self)
    }

    /// All rows in one section: those of the first section of the list, then those of the second, and so on; or in the
    /// order that they are sorted in.
    ///
    /// - Parameter title: what its header shows.
    public func inOneSection(title: String = "") -> ViewQuery<AllRows, Item> {
        changing { rules in
            rules.sections = .one(ViewGroup(id: AllRows.all.identifier, title: title, order: .absent))
            rules.group = nil
        }.withSections(AllRows.self)
    }

    /// Without sections that have no rows. Sections that come from ``grouped(_:by:title:)`` never are empty.
    public func hidingEmptySections() -> ViewQuery {
        changing { $0.hidesEmptySections = true }
    }
}

/// A key whose order is turned round.
private struct Descending<Key: Comparable & Sendable>: Comparable, Sendable {
    let key: Key

    static func < (left: Descending, right: Descending) -> Bool { right.key < left.key }
}

extension ViewKey {
    /// The key that a value is; that of a date is a number.
    fileprivate static func of<Value: Comparable & Sendable>(_ value: Value?) -> ViewKey {
        guard let value else { return .absent }
        if let date = value as? Date { return .number(date.timeIntervalSinceReferenceDate) }
        return ViewKey(value)
    }
}
