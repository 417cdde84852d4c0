// JSON lines as a list: a row for each line.
//
// An object with a member "content" describes a row; anything else is itself the content of one.
//
// Always holds: a described row has no unknown member; no id occurs twice.

import ListModel

extension ImportedList {
    /// The section of rows that name none.
    private static let defaultSection = SectionName.named("items")

    /// The rows of JSON lines.
    ///
    /// - Throws: ``ImportError`` that names the line.
    public init(jsonLines bytes: [UInt8]) throws {
        var places: [SectionName: Int] = [:]
        var linesOfIDs: [UntypedID: Int] = [:]
        for (number, text) in try InputLines(bytes) where !text.allSatisfy(\.isWhitespace) {
            let (row, name) = try ImportedList.row(text, line: number)
            if let id = row.id, let other = linesOfIDs.updateValue(number, forKey: id) {
                throw ImportError(line: number, expected: "an id of its own", found: "\(id), the id of line \(other)")
            }
            let place = places[name] ?? sections.count
            if place == sections.count {
                places[name] = place
                sections.append(Section(name: name, title: ""))
            }
            sections[place].rows.append(row)
        }
    }

    private static func row(_ text: String, line: Int) throws -> (Row, SectionName) {
        let value: JSONValue
        do { value = try JSONValue(parsing: text.utf8) } catch {
            throw ImportError("line \(line): expected JSON: \(error)")
        }
        guard let content = value.members?["content"] else {
            return (Row(content: RowContent.bytes(value), line: line), defaultSection)
        }
        do {
            let fields = try RequestFields(
                value, "row", expected: "id", "content", "checked", "depth", "collapsed", "section")
            let depth = fields.has("depth") ? try fields.index("depth") : 0
            guard (0...UntypedRow.maximumDepth).contains(depth) else {
                throw RequestError.field(
                    fields.path("depth"), expected: "0 to \(UntypedRow.maximumDepth)", found: .integer(Int64(depth)))
            }
            let row = Row(
                id: fields.has("id") ? try fields.identifier("id") : nil,
                isChecked: fields.has("checked") ? try fields.bool("checked") : false,
                content: RowContent.bytes(content), depth: depth,
                isCollapsed: fields.has("collapsed") ? try fields.bool("collapsed") : false, line: line)
            let name = fields.has("section") ? SectionName.named(try fields.identifier("section")) : defaultSection
            return (row, name)
        } catch {
            throw ImportError("line \(line): \(error)")
        }
    }
}
