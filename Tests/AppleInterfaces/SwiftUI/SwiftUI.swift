// Declarations of SwiftUI: what the adapters use. See README.md in the folder above.

import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("never") }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
}

@frozen public struct TupleView<T>: View {
    public var body: Never { fatalError("never") }
}

@frozen public struct Text: View {
    public init<S>(_ content: S) where S: StringProtocol {}
    public var body: Never { fatalError("never") }
}

public struct TextField<Label: View>: View {
    public var body: Never { fatalError("never") }
}

extension TextField where Label == Text {
    public init<S>(_ title: S, text: Binding<String>) where S: StringProtocol {}
}

public struct Toggle<Label: View>: View {
    public var body: Never { fatalError("never") }
}

extension Toggle where Label == Text {
    public init<S>(_ title: S, isOn: Binding<Bool>) where S: StringProtocol {}
}

public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError("never") }
}

extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) {}
}

@frozen @propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError("never") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("never") }
}

public struct Section<Parent, Content, Footer> {}

extension Section: View where Parent: View, Content: View, Footer: View {
    public var body: Never { fatalError("never") }
}

@frozen public struct EmptyView: View {
    public var body: Never { fatalError("never") }
}

extension Section where Parent: View, Content: View, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {}
}

public struct ForEach<Data, ID, Content> where Data: RandomAccessCollection, ID: Hashable {
    public var data: Data
    public var content: (Data.Element) -> Content
}

extension ForEach: View where Content: View {
    public var body: Never { fatalError("never") }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.data = data
        self.content = content
    }
}

public protocol DynamicViewContent: View {
    associatedtype Data: Collection
    var data: Data { get }
}

extension ForEach: DynamicViewContent where Content: View {}

extension DynamicViewContent {
    nonisolated public func onDelete(perform action: ((IndexSet) -> Void)?) -> some DynamicViewContent { self }
    nonisolated public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some DynamicViewContent { self }
}

extension View {
    nonisolated public func deleteDisabled(_ isDisabled: Bool) -> some View { self }
    nonisolated public func moveDisabled(_ isDisabled: Bool) -> some View { self }
    nonisolated public func disabled(_ disabled: Bool) -> some View { self }
    nonisolated public func keyboardShortcut(
        _ key: KeyEquivalent, modifiers: EventModifiers = .command
    ) -> some View { self }
}

public struct KeyEquivalent: Sendable, ExpressibleByExtendedGraphemeClusterLiteral {
    public init(extendedGraphemeClusterLiteral: Character) {}
}

@frozen public struct EventModifiers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let shift = EventModifiers(rawValue: 2)
    public static let command = EventModifiers(rawValue: 16)
}

public struct Button<Label: View>: View {
    public var body: Never { fatalError("never") }
}

extension Button where Label == Text {
    public init<S>(_ title: S, action: @escaping @MainActor () -> Void) where S: StringProtocol {}
}

// MARK: - Commands of menus

@MainActor @preconcurrency public protocol Commands {
    associatedtype Body: Commands
    @CommandsBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Commands {}

@resultBuilder public struct CommandsBuilder {
    public static func buildExpression<Content: Commands>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Commands>(_ content: Content) -> Content { content }
}

public struct CommandGroupPlacement: Sendable {
    public static let undoRedo = CommandGroupPlacement()
}

public struct CommandGroup<Content: View>: Commands {
    nonisolated public init(replacing group: CommandGroupPlacement, @ViewBuilder addition: () -> Content) {}
    public var body: Never { fatalError("never") }
}

@frozen @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    @preconcurrency
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatalError("never") }
        nonmutating set {}
    }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("never")
    }
}

@frozen public struct Animation: Equatable, Sendable {}

public func withAnimation<Result>(
    _ animation: Animation?, _ body: () throws -> Result
) rethrows -> Result { try body() }
