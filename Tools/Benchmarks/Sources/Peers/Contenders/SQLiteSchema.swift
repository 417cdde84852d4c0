// The table, and the triggers that record how to take back every change, as in sqlite.org/undoredo.html, but in a
// table in the file.
//
// Always holds: each statement in `undolog` takes back one change of one row; run from the last to the first, they
// restore the rows.

/// How SQLite stores the rows, and whether it can undo edits.
///
/// The order is a column of fractions: a row gets the mean of its neighbours'. After about fifty insertions at one place no
/// digits are left, and an app has to renumber; here that never happens.
struct SQLiteSchema {
    let hasUndo: Bool

    /// The statements that make an empty list.
    var sql: String {
        let table = """
            CREATE TABLE item (
                id INTEGER PRIMARY KEY,
                position REAL NOT NULL,
                checked INTEGER NOT NULL DEFAULT 0,
                content BLOB NOT NULL
            );
            CREATE INDEX item_position ON item (position);
            """
        return hasUndo ? table + SQLiteSchema.undo : table
    }

    private static let undo = """
        CREATE TABLE undolog (seq INTEGER PRIMARY KEY, sql TEXT NOT NULL);
        CREATE TRIGGER item_inserted AFTER INSERT ON item BEGIN
            INSERT INTO undolog VALUES (NULL, 'DELETE FROM item WHERE id=' || new.id);
        END;
        CREATE TRIGGER item_updated AFTER UPDATE ON item BEGIN
            INSERT INTO undolog VALUES (NULL, 'UPDATE item SET id=' || old.id
                || ',position=' || quote(old.position) || ',checked=' || quote(old.checked)
                || ',content=' || quote(old.content) || ' WHERE id=' || old.id);
        END;
        CREATE TRIGGER item_deleted BEFORE DELETE ON item BEGIN
            INSERT INTO undolog VALUES (NULL, 'INSERT INTO item (id,position,checked,content) VALUES (' || old.id
                || ',' || quote(old.position) || ',' || quote(old.checked) || ',' || quote(old.content) || ')');
        END;
        """
}
