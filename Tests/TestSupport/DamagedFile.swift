// Damages files as failing disks do: a byte is another one, and everything around it is as it was.

import Foundation

/// Changes a byte wherever a file has a text: the journal of a store may still have a copy of a record that is in the database.
///
/// - Throws: an error if the file does not have the text.
public func damageFile(_ path: String, at text: String) throws {
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    var rest = bytes.startIndex..<bytes.endIndex
    while let found = bytes.range(of: Data(text.utf8), in: rest) {
        bytes[found.lowerBound] ^= 0x20
        rest = found.upperBound..<bytes.endIndex
    }
    guard rest.lowerBound > bytes.startIndex else { throw CocoaError(.fileReadCorruptFile) }
    try bytes.write(to: url)
}
