// The contents of a block while it is packed. A prefix and suffix that many contents share is written once, as an
// *affix*.
//
// Contents are often values of one JSON type, which begin and end alike. Without affixes, a block would be mostly
// quotation marks, braces and field names.
//
// Always holds: contents are in the order of the log; the same contents give the same affixes.

/// Collects contents and finds their affixes.
struct ContentPacking {
    private var bytes: [UInt8] = []
    /// Where each content ends in `bytes`.
    private var ends: [Int] = []

    /// A shared prefix and suffix of contents.
    struct Affix: Equatable {
        var prefix: [UInt8]
        var suffix: [UInt8]
        var count: Int { prefix.count + suffix.count }
    }

    mutating func append(_ content: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: content)
        ends.append(bytes.count)
    }

    private func content(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// The affixes, and for each content the number of its affix (0 is none) and its length without.
    ///
    /// - Complexity: O(bytes).
    func withAffix() -> (affixes: [Affix], choices: [Int64], lengths: [Int64]) {
        var groups: [UInt16: (affix: Affix, count: Int)] = [:]
        for index in ends.indices {
            let content = content(index)
            guard let key = ContentPacking.group(content) else { continue }
            if let group = groups[key] {
                groups[key] = (ContentPacking.common(group.affix, content), group.count + 1)
            } else {
                let half = min(content.count / 2, PackedLimits.affixBytes)
                let affix = Affix(prefix: Array(content.prefix(half)), suffix: Array(content.suffix(half)))
                groups[key] = (affix, 1)
            }
        }
        // An affix must save more than its own bytes and the bits that number the affix of each content.
        let least = max(16, ends.count / 2)
        let worth = groups.map { (key: $0, affix: $1.affix, saved: $1.affix.count * ($1.count - 2)) }
            .filter { $0.saved > least }
            .sorted { ($1.saved, $0.key) < ($0.saved, $1.key) }
            .prefix(PackedLimits.affixCount)
        let numbers = Dictionary(uniqueKeysWithValues: worth.enumerated().map { ($1.key, $0 + 1) })
        let affixes = worth.map(\.affix)
        var choices: [Int64] = []
        var lengths: [Int64] = []
        for index in ends.indices {
            let content = content(index)
            let number = ContentPacking.group(content).flatMap { numbers[$0] } ?? 0
            choices.append(Int64(number))
            lengths.append(Int64(content.count - (number == 0 ? 0 : affixes[number - 1].count)))
        }
        return (affixes, choices, lengths)
    }

    /// Writes the contents without their affixes.
    func write(_ affixes: [Affix], _ choices: [Int64], to writer: inout ByteWriter) {
        for index in ends.indices {
            var content = content(index)
            if choices[index] > 0 {
                let affix = affixes[Int(choices[index]) - 1]
                content = content.dropFirst(affix.prefix.count).dropLast(affix.suffix.count)
            }
            content.withUnsafeBytes { writer.write(raw: $0) }
        }
    }

    /// Contents that begin and end with the same bytes may share an affix.
    private static func group(_ content: ArraySlice<UInt8>) -> UInt16? {
        guard content.count >= 2, let first = content.first, let last = content.last else { return nil }
        return UInt16(first) << 8 | UInt16(last)
    }

    /// What an affix and a content have in common; prefix and suffix never overlap in the content.
    private static func common(_ affix: Affix, _ content: ArraySlice<UInt8>) -> Affix {
        let prefix = affix.prefix[...].commonPrefix(with: content)
        let suffix = affix.suffix[...].commonSuffix(with: content.dropFirst(prefix))
        return Affix(prefix: Array(affix.prefix.prefix(prefix)), suffix: Array(affix.suffix.suffix(suffix)))
    }
}
