// Measures the changeset of two versions of a list, compared with the standard library's difference of two arrays of
// the same ids.
//
// Always holds: the standard library gets its arrays ready-made and compares only ids; the changeset also finds updated
// rows. Both have read their versions once before the clock starts.

import BenchSupport

/// Compares two versions.
struct ChangesetWorkload {
    let order: MeasureOrder
    let isSingle: Bool

    func measure(_ sink: Sink) throws -> Values {
        let list = try BenchList(rowCount: order.size)
        let pairs =
            isSingle
            ? try VersionPair.oneEditApart(list) : [try VersionPair(list, editCount: max(1, order.size / 100))]
        if order.contender == .listory {
            let repetitions = isSingle ? 200 : 1
            // The first comparison only reads the nodes into the cache.
            sink.take(Int(VersionPair.changesetSeconds(pairs, repetitions: 1, sink)))
            return [.seconds: VersionPair.changesetSeconds(pairs, repetitions: repetitions, sink)]
        }
        let arrays = pairs.prefix(3).map(\.ids)
        return [.seconds: VersionPair.differenceSeconds(Array(arrays), sink)]
    }
}
