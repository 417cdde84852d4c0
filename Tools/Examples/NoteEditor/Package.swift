// swift-tools-version: 6.2
// Notes in a terminal, over a store. This example is a separate package, as an app of yours would be.
import PackageDescription

let package = Package(
    name: "listory-note-editor",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "note-editor", targets: ["Program"])],
    dependencies: [.package(name: "listory", path: "../../..")],
    targets: [
        .target(name: "CTerminal"),
        .target(name: "NoteEditor", dependencies: ["CTerminal", .product(name: "Listory", package: "listory")]),
        .executableTarget(name: "Program", dependencies: ["NoteEditor"]),
        .target(name: "CPseudoTerminal", path: "Tests/CPseudoTerminal"),
        .testTarget(
            name: "NoteEditorTests",
            dependencies: [
                "NoteEditor", "Program", "CPseudoTerminal", .product(name: "TestSupport", package: "listory"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
