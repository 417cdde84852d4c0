// Tests the numbers that are read in a store's file.

import BenchSupport
import Foundation
import ListModel
import Listory
import TestSupport
import Testing

struct FileNumbersTests {
    @Test func transactionsAreCountedUnlessTheFileWasReplaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list")
        try UntypedStore.create(at: path).close()
        let count = try FileNumbers.transactionCount(path) {
            let store = try UntypedStore.open(at: path)
            try store.edit("Begin", durability: .immediate) { try $0.insertSection(NewSection(id: "today")) }
            try store.close()
        }
        #expect(try #require(count) > 0)
        #expect(try FileNumbers.transactionCount(path) {} == 0)
        let none = try FileNumbers.transactionCount(path) {
            try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
        }
        #expect(none == nil)
    }
}
