// Who is told the events of a record as they are read: the reducer folds them, without values of `Event` in between.
//
// Always holds: whoever reads an event calls exactly one function of the receiver, or throws.

/// Somebody who takes the events of a record.
///
/// What happens to rows, again and again, has a function of its own; an `Event` is for everything else. The functions have
/// the names and the parameters of the events that they are told.
protocol EventReceiver: ~Copyable {
    /// What becomes of an event.
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
    /// Takes an event that has no function of its own.
    mutating func other(_ event: Event) throws -> Outcome
}

/// Makes events of what it is told.
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
