// Makes random gestures, and random edits of others.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport

/// A user who makes random gestures, and others who make random edits.
@MainActor
struct RandomUser {
    private var edits: RandomEdits
    private let store: TodoStore
    private var nextID = 1_000_000

    init(seed: UInt64, store: TodoStore) {
        edits = RandomEdits(seed: seed, targetCount: 30, maximumSections: 5, mixesKinds: false)
        self.store = store
    }

    mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &edits.generator) }
    mutating func oneIn(_ n: Int) -> Bool { edits.generator.oneIn(n) }

    /// Makes a random edit of others.
    mutating func edit<Source>(_ driver: ListDriver<Source>) throws {
        let reference = try ReferenceList(store.core.snapshot, store.core.source)
        let operation = edits.next(reference)
        // Some edits are meant to fail.
        _ = try? store.core.edit("Others", durability: .deferred) { try $0.apply(operation) }
        if !oneIn(4) { driver.refresh() }
    }

    private mutating func path<Source>(_ driver: ListDriver<Source>) -> ListIndexPath? {
        let sections = (0..<driver.sectionCount).filter { driver.itemCount(inSection: $0) > 0 }
        guard let section = sections.randomElement(using: &edits.generator) else { return nil }
        return ListIndexPath(section: section, item: int(0..<driver.itemCount(inSection: section)))
    }

    /// A random place for a row, which is not counted itself.
    private mutating func place<Source>(_ driver: ListDriver<Source>, from source: ListIndexPath?) -> ListIndexPath? {
        guard driver.sectionCount > 0 else { return nil }
        let section = int(0..<driver.sectionCount)
        let room = driver.itemCount(inSection: section) - (source?.section == section ? 1 : 0)
        return ListIndexPath(section: section, item: int(0..<room + 1))
    }

    /// Makes a gesture other than a drag.
    mutating func gesture<Source>(_ driver: ListDriver<Source>) where Source.Item == Todo {
        switch int(0..<9) {
        case 0...1: path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.delete($0) }
        case 2...3: path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.toggle($0) }
        case 4:
            guard let gap = place(driver, from: nil) else { return }
            nextID += 1
            driver.insert(Todo(id: nextID, title: "\(nextID)"), at: gap)
        case 5:
            // Rows that other edits inserted have content that the app cannot decode: the gesture fails, and changes
            // nothing.
            let title = "\(int(0..<5))"
            path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.update($0) { $0.title = title } }
        case 6:
            guard let id = path(driver).flatMap({ driver.id(at: $0) }), let gap = place(driver, from: nil)
            else { return }
            driver.move([id], toGap: gap)
        case 7: driver.undo()
        default: driver.redo()
        }
    }

    /// Makes a gesture in an outline. Some are impossible, and change nothing.
    mutating func outlineGesture<Source>(_ driver: ListDriver<Source>) where Source.Item == Todo {
        guard let path = path(driver), let id = driver.id(at: path) else { return }
        switch int(0..<8) {
        case 0...1: driver.toggleCollapsed(id, recursively: oneIn(4))
        case 2: driver.indent([id])
        case 3: driver.outdent([id])
        case 4: if oneIn(3) { driver.delete(id) }
        case 5:
            guard let other = self.path(driver).flatMap({ driver.id(at: $0) }) else { return }
            driver.move([id], into: other)
        case 6:
            guard let gap = place(driver, from: nil) else { return }
            let others = self.path(driver).flatMap { driver.id(at: $0) }.map { [$0] } ?? []
            driver.move([id] + others, toGap: gap, depth: oneIn(2) ? int(0..<4) : nil)
        default:
            nextID += 1
            driver.insert(Todo(id: nextID, title: "\(nextID)"), into: id)
        }
    }

    /// Begins a drag, or ends one.
    mutating func drag<Source>(_ table: FakeTable<Source>) {
        if !table.isBusy {
            path(table.driver).map { table.beginDrag($0) }
        } else if oneIn(4) {
            table.drop(nil)
        } else if let source = table.dragSource, let target = place(table.driver, from: source) {
            table.drop(target)
        }
    }
}
