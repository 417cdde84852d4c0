// Declarations of SwiftUI: what the adapters use. See README.md in the folder above.

import Foundation
import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("never") }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { fatalError("never") }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { fatalError("never") }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
}

@frozen public struct TupleView<T>: View {
    public var body: Never { fatalError("never") }
}

// swift-format-ignore: NoLeadingUnderscores
@frozen public struct _ConditionalContent<TrueContent, FalseContent> {}

extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
    public var body: Never { fatalError("never") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("never") }
}

@frozen public struct Text: View {
    public init<S>(_ content: S) where S: StringProtocol {}
    public func bold() -> Text { self }
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

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

@frozen @propertyWrapper public struct State<Value>: DynamicProperty {
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

// MARK: - Layout, controls, modifiers

public struct HStack<Content: View>: View {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("never") }
}

public struct VStack<Content: View>: View {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("never") }
}

public struct NavigationPath {}

@MainActor @preconcurrency public struct NavigationStack<Data, Root: View>: View {
    public var body: Never { fatalError("never") }
}

extension NavigationStack where Data == NavigationPath {
    public init(@ViewBuilder root: () -> Root) {}
}

public struct Slider<Label: View, ValueLabel: View>: View {
    public var body: Never { fatalError("never") }
}

extension Slider where Label == EmptyView, ValueLabel == EmptyView {
    public init<V>(
        value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }
    ) where V: BinaryFloatingPoint, V.Stride: BinaryFloatingPoint {}
}

@frozen public enum Edge: Int8 {
    case top, leading, bottom, trailing
    @frozen public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let all = Edge.Set(rawValue: 15)
    }
}

extension View {
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    nonisolated public func labelsHidden() -> some View { self }
    nonisolated public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { self }
    nonisolated public func onChange<V>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View where V: Equatable { self }
    nonisolated public func searchable(text: Binding<String>) -> some View { self }
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    nonisolated public func alert<S, A>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View where S: StringProtocol, A: View { self }
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View { self }
    nonisolated public func focusedSceneValue<Value>(
        _ keyPath: WritableKeyPath<FocusedValues, Value?>, _ value: Value
    ) -> some View { self }
}

public struct EnvironmentValues {
    public init() {}
    // As in the SDK, it cannot be set.
    public var undoManager: UndoManager? { nil }
}

public protocol FocusedValueKey {
    associatedtype Value
}

public struct FocusedValues {
    public subscript<Key>(key: Key.Type) -> Key.Value? where Key: FocusedValueKey {
        get { nil }
        set {}
    }
}

@propertyWrapper public struct FocusedValue<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<FocusedValues, Value?>) {}
    public var wrappedValue: Value? { nil }
}

@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
    private let value: Value
    public var wrappedValue: Value { value }
    public var projectedValue: Bindable<Value> { self }
}

extension Bindable where Value: AnyObject {
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> { fatalError("never") }
}

extension Bindable where Value: AnyObject, Value: Observable {
    public init(wrappedValue: Value) { value = wrappedValue }
    public init(_ wrappedValue: Value) { value = wrappedValue }
}

// MARK: - Apps

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("never") }
}

extension Scene {
    nonisolated public func commands<Content: Commands>(@CommandsBuilder content: () -> Content) -> some Scene { self }
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

@frozen public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
}

public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result { try body() }
