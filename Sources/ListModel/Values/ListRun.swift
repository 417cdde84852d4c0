// One or more consecutive elements. Almost every event is about one row; an array for it would need an allocation.

/// A sequence that needs no allocation for one element. In an event it is never empty.
public enum ListRun<Element: Sendable>: Sendable {
    /// Exactly one element.
    case one(Element)
    /// Any number of elements except one.
    case many([Element])

    /// No elements.
    static var none: ListRun { .many([]) }

    /// A run of these elements, or nil if there are none.
    public init?(_ elements: [Element]) {
        guard let first = elements.first else { return nil }
        self = elements.count == 1 ? .one(first) : .many(elements)
    }
}

extension ListRun: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch self {
        case .one: 1
        case .many(let elements): elements.count
        }
    }

    public subscript(position: Int) -> Element {
        switch self {
        case .one(let element):
            precondition(position == 0, "index outside the run")
            return element
        case .many(let elements):
            return elements[position]
        }
    }

    /// Calls `body` with the elements in contiguous memory.
    @inline(__always)
    func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
        switch self {
        case .one(let element):
            return try withUnsafePointer(to: element) { try body(UnsafeBufferPointer(start: $0, count: 1)) }
        case .many(let elements):
            return try elements.withUnsafeBufferPointer(body)
        }
    }

    /// Appends elements.
    mutating func append(contentsOf others: ListRun) {
        if others.isEmpty { return }
        if isEmpty { return self = others }
        // The array is moved out of `self`, so that appending does not copy it.
        var elements =
            switch exchange(&self, with: .none) {
            case .one(let element): [element]
            case .many(let elements): elements
            }
        elements += others
        self = .many(elements)
    }

    /// The same elements in reversed order.
    var backwards: ListRun {
        switch self {
        case .one: self
        case .many(let elements): .many(elements.reversed())
        }
    }

    /// Calls `body` with each element. An iterator would copy each of them.
    @inline(__always)
    func forEach(_ body: (Element) throws -> Void) rethrows {
        switch self {
        case .one(let element): try body(element)
        case .many(let elements): for element in elements { try body(element) }
        }
    }

    /// The run of the transformed elements.
    func mapped<Other>(_ transform: (Element) throws -> Other) rethrows -> ListRun<Other> {
        switch self {
        case .one(let element): .one(try transform(element))
        case .many(let elements): .many(try elements.map(transform))
        }
    }
}

extension ListRun: Equatable where Element: Equatable {}
