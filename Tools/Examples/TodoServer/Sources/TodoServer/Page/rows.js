// Plays changes on rows, and puts their elements in order. It knows nothing else of the page, so that the tests can run it by
// itself.
//
// Always holds: deletions and the sources of moves count the old rows, everything else the new ones.

/** The rows after changes. */
export function played(rows, changes) {
  const result = rows.slice();
  const moved = changes.moves.map(({ from, to }) => ({ at: to, row: rows[from] }));
  const gone = changes.deletes.concat(changes.moves.map(({ from }) => from));
  for (const at of gone.sort((a, b) => b - a)) result.splice(at, 1);
  const added = changes.inserts.concat(moved);
  for (const { at, row } of added.sort((a, b) => a.at - b.at)) result.splice(at, 0, row);
  for (const { at, row } of changes.updates) result[at] = row;
  return result;
}

/** Makes these items the first ones of a list, in order. The fixed one is never moved: its field would lose the focus. */
export function arrange(list, items, fixed) {
  let last = null;
  const place = () => (last ? last.nextElementSibling : list.firstElementChild);
  for (const item of items) {
    // What is in its way goes to the end, and is placed later.
    while (item === fixed && place() !== item) list.append(place());
    if (place() !== item) list.insertBefore(item, place());
    last = item;
  }
}
