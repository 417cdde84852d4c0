// Receives the events of a record while they are read. The reducer applies them without making `Event` values.
//
// Always holds: reading an event calls exactly one function of the receiver, or throws.

/// A receiver of events.
///
/// Frequent events have functions of their own, with their names and parameters; all others arrive as an `Event`.
protocol EventReceiver: ~Copyable {
    /// The result for an event.
    associatedtype Outcome

    mutating func itemsInserted(at path: ListIndexPath, _ items: Run<ListItem>) throws -> Outcome
    mutating func itemsDeleted(at path: ListIndexPath, _ items: Run<ListItem>) throws -> Outcome
    mutating func itemsMoved(
        from source: ListIndexPath, to target: ListIndexPath, _ ids: Run<Identifier>
    ) throws -> Outcome
    mutating func itemToggled(at path: ListIndexPath, _ id: Identifier, isChecked: Bool) throws -> Outcome
    mutating func itemUpdated(
        at path: ListIndexPath, _ id: Identifier, old: ContentReference, new: ContentReference
    ) throws -> Outcome
    /// Receives an event that has no function of its own.
    mutating func other(_ event: Event) throws -> Outcome
}

/// Makes an `Event` of each.
struct EventMaker: EventReceiver {
    func itemsInserted(at path: ListIndexPath, _ items: Run<ListItem>) -> Event { .itemsInserted(at: path, items) }
    func itemsDeleted(at path: ListIndexPath, _ items: Run<ListItem>) -> Event { .itemsDeleted(at: path, items) }

    func itemsMoved(from source: ListIndexPath, to target: ListIndexPath, _ ids: Run<Identifier>) -> Event {
        .itemsMoved(from: source, to: target, ids)
    }

    func itemToggled(at path: ListIndexPath, _ id: Identifier, isChecked: Bool) -> Event {
        .itemToggled(at: path, id, isChecked: isChecked)
    }

    func itemUpdated(
        at path: ListIndexPath, _ id: Identifier, old: ContentReference, new: ContentReference
    ) -> Event {
        .itemUpdated(at: path, id, old: old, new: new)
    }

    func other(_ event: Event) -> Event { event }
}
