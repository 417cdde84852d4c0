// The state from which packing and unpacking both predict the next annotation of a block.
//
// Editors attach the same few values to every commit: a selection before, a selection after. So the name and the place
// of an annotation are predicted from the annotation that followed the previous one the last time. Its value is
// predicted from the last value of the same name or from the previous annotation, whichever was closer the last time.
//
// Always holds: `known[0]` stands for the time before the first annotation, `known[n + 1]` for the name of number n.

/// Predicts annotations of a packed block from those before them.
struct AnnotationContext {
    /// The state for a name.
    struct Known {
        /// The last value, and whether it was predicted from the previous annotation instead of the last one of its
        /// name.
        var value: [UInt8] = []
        var isFromPrevious = false
        /// How many bytes of the predicted value were replaced, how many follow them, and the length of the
        /// replacement.
        var replaced: Int64 = 0
        var suffix: Int64 = 0
        var inserted: Int64 = 0
        /// The difference of each replacing byte from the replaced one. A counter in a text differs in the same way
        /// each time.
        var differences: [UInt8] = []
        /// The number of the next annotation's name, and how many other events came before it; -1 if there was none.
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

    /// Counts an event that is not an annotation.
    mutating func noteOther() { gap &+= 1 }

    /// Adds the name of an annotation. An unknown number is the next one.
    mutating func noteName(_ number: Int) {
        known[last].nextName = Int64(number)
        known[last].gap = gap
        gap = 0
        if number + 1 == known.count { known.append(Known()) }
    }

    /// What a value is predicted from.
    func reference(_ number: Int, isFromPrevious: Bool) -> [UInt8] {
        isFromPrevious ? known[last].value : known[number + 1].value
    }

    /// Adds an annotation after its name.
    mutating func note(_ number: Int, _ change: Known) {
        let (nextName, gap) = (known[number + 1].nextName, known[number + 1].gap)
        known[number + 1] = change
        (known[number + 1].nextName, known[number + 1].gap) = (nextName, gap)
        last = number + 1
    }

    /// The longest replacement that is coded as differences.
    static let byteLimit = 64

    /// The prediction for the replacing bytes of a name: the replaced bytes, changed as the last time.
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
