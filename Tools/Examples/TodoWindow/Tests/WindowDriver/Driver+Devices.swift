// Uses the window while another device edits the same list, and expects each to show what the other did.

import CListRows
import Foundation
import Listory
import TodoWindow

extension Driver {
    /// - Parameter path: the store of the other device, which is kept together with that of the window.
    func runDevices(other path: String) throws {
        let store = try ListStore<String, Todo>.open(at: path)
        defer { try? store.close() }
        let phone = TodoEdits(store, origin: "phone")
        func wait(for rows: [ShownRow], _ what: String) throws {
            try waitUntil("\(what) is on both devices") {
                try expectedRows() == rows && Driver.rows(of: store) == rows
            }
            try check(what)
        }
        let milk = try phone.add("Milk")
        try wait(for: [ShownRow(title: "Milk", isChecked: false)], "a row from the phone")
        try type("Tea")
        try press("Return")
        try wait(
            for: [ShownRow(title: "Milk", isChecked: false), ShownRow(title: "Tea", isChecked: false)],
            "a row from the window")
        try click(row("Milk").check)
        try wait(
            for: [ShownRow(title: "Milk", isChecked: true), ShownRow(title: "Tea", isChecked: false)],
            "a checkmark from the window")
        try phone.rename(milk, to: "Oat milk")
        try wait(
            for: [ShownRow(title: "Oat milk", isChecked: true), ShownRow(title: "Tea", isChecked: false)],
            "a title from the phone")
        try press("ctrl+z")
        try wait(
            for: [ShownRow(title: "Milk", isChecked: true), ShownRow(title: "Tea", isChecked: false)],
            "an undo in the window of the phone's step")
    }
}
