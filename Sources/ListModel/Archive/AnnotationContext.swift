// What packing and unpacking know of annotations at a place in a block: from this, both predict the next one alike.
//
// Editors attach the same few values to every commit: a selection before, one after. So the name and the place of an
// annotation are predicted from what followed the annotation before it the last time, and its value from the last one of
// the same name or from the one just before, whichever was nearer the last time.
//
// Always holds: `known[0]` stands for the time before the first annotation, `known[n + 1]` for the name of number n.

/// Predicts annotations of a packed block from those before them.
struct AnnotationContext {
    /// What is known of a name.
    struct Known {
        /// The last value, and whether it was told from the annotation before it instead of from the last of its name.
        var value: [UInt8] = []
        var isFromPrevious = false
        /// How many bytes of what it was told from were replaced, how many follow them, and by how many.
        var replaced: Int64 = 0
        var suffix: Int64 = 0
        var inserted: Int64 = 0
        /// By how much each of those differed from the byte in whose place it came: a number that is counted up in a text
        /// differs alike each time.
        var differences: [UInt8] = []
        /// The number of the name that came next, and after how many other events; -1 if none did.
        var nextName: Int64 = 0
        var gap = -1
    }

    private(set) var known = [Known()]
    /// The place in `known` of the last annotation.
    private(set) var last = 0
    /// How many other events came since.
    private var gap = 0

    /// Whether the next event is likely to be an annotation.
    var isDue: Bool { known[last].gap == gap }

    /// The number that the name of the next annotation is likely to have.
    var predictedName: Int64 { known[last].nextName }

    /// How many names there are.
    var nameCount: Int { known.count - 1 }

    /// Notes an event that is no annotation.
    mutating func noteOther() { gap &+= 1 }

    /// Notes the name of an annotation. A number that is not known yet is the next one.
    mutating func noteName(_ number: Int) {
        known[last].nextName = Int64(number)
        known[last].gap = gap
        gap = 0
        if number + 1 == known.count { known.append(Known()) }
    }

    /// What a value is told from.
    func reference(_ number: Int, isFromPrevious: Bool) -> [UInt8] {
        isFromPrevious ? known[last].value : known[number + 1].value
    }

    /// Notes an annotation whose name was noted.
    mutating func note(_ number: Int, _ change: Known) {
        let (nextName, gap) = (known[number + 1].nextName, known[number + 1].gap)
        known[number + 1] = change
        (known[number + 1].nextName, known[number + 1].gap) = (nextName, gap)
        last = number + 1
    }

    /// The most bytes of a change that are told as differences.
    static let byteLimit = 64

    /// What the bytes of a change of a name are told from: the bytes in whose place they come, changed as the last time.
    func predictedBytes(_ number: Int, _ replaced: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        let differences = known[number + 1].differences
        let isAlike = differences.count == count
        return (0..<count).map { index in
            let old = index < replaced.count ? replaced[replaced.startIndex + index] : 0
            return isAlike ? old &+ differences[index] : old
        }
    }
}

/// A column of the annotations of a block.
enum AnnotationColumn: Int, CaseIterable {
    case names
    case sources
    case replaced
    case suffixes
    case inserted
    case bytes
}
