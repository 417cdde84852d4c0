// Gestures with sections, as commits: "Rename Today".

import ListModel
import Listory

extension ListDriver {
    /// Inserts a section without rows: "Add Today".
    ///
    /// - Parameters:
    ///   - id: the identity of the section.
    ///   - title: the title in its header.
    ///   - index: the index of the shown section before which it is inserted; their number for the end.
    /// - Returns: whether it was committed.
    @discardableResult
    public func insertSection(_ id: Source.SectionID, title: String, at index: Int) -> Bool {
        let sections = player.shown.sections
        return commit(.insert, names.phrase(.insert, title)) { editor in
            guard index >= 0 && index <= sections.count else {
                throw ListError.sectionIndexOutOfRange(index, valid: 0..<sections.count + 1)
            }
            let place = Self.place(beside: sections, at: index, in: &editor)
            try editor.insertSection(NewSection(id: id.untypedID, title: title), at: place)
        }
    }

    /// Gives a section another title: "Rename Today".
    @discardableResult
    public func renameSection(_ id: UntypedID, to title: String) -> Bool {
        commit(.edit, sectionName(.edit, id)) { try $0.renameSection(.section(id), to: title) }
    }

    /// Deletes a section with all its rows in the store: "Delete Today".
    @discardableResult
    public func deleteSection(_ id: UntypedID) -> Bool {
        commit(.delete, sectionName(.delete, id)) { try $0.deleteSection(.section(id)) }
    }

    /// Moves a section: "Move Today".
    ///
    /// - Parameters:
    ///   - id: the section.
    ///   - gap: how many of the shown sections are above the place, including the one that moves.
    /// - Returns: whether it was committed.
    @discardableResult
    public func moveSection(_ id: UntypedID, toGap gap: Int) -> Bool {
        let sections = player.shown.sections
        return commit(.move, sectionName(.move, id)) { editor in
            guard source.keepsOrder else { throw MoveRefused() }
            guard gap >= 0 && gap <= sections.count else {
                throw ListError.sectionIndexOutOfRange(gap, valid: 0..<sections.count + 1)
            }
            try editor.moveSection(
                .section(id), to: Self.place(beside: sections, at: gap, without: id, in: &editor))
        }
    }

    /// The place in the store beside the shown sections: after the one before it, otherwise before the one after it.
    private static func place(
        beside sections: SectionCollection, at gap: Int, without moved: UntypedID? = nil, in editor: inout UntypedEditor
    ) -> SectionDestination {
        if let before = sections[..<gap].last(where: { $0.id != moved }),
            editor.state.indexOfSection(before.id) != nil
        {
            return .after(before.id)
        }
        if let after = sections[gap...].first(where: { $0.id != moved }),
            editor.state.indexOfSection(after.id) != nil
        {
            return .before(after.id)
        }
        return .end
    }

    private func sectionName(_ action: ListAction, _ id: UntypedID) -> String {
        names.phrase(action, player.shown.sections.first { $0.id == id }?.title ?? id.description)
    }
}
