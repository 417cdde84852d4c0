// swift-tools-version: 6.2
// Notes in a terminal, over a store. This example is a separate package, as an app of yours would be.
import PackageDescription

let package = Package(
    name: "listory-note-editor",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "note-editor", targets: ["Program"])],
    dependencies: [
        .package(name: "listory", path: "../../.."),
        // For windows in a terminal, which `listory edit` has too.
        .package(name: "listory-tools", path: "../.."),
    ],
    targets: [
        .target(
            name: "NoteEditor",
            dependencies: [
                .product(name: "TerminalKit", package: "listory-tools"),
                .product(name: "Listory", package: "listory"),
            ]),
        .executableTarget(name: "Program", dependencies: ["NoteEditor"]),
        .testTarget(
            name: "NoteEditorTests",
            dependencies: [
                "NoteEditor", "Program", .product(name: "TerminalTestSupport", package: "listory-tools"),
                .product(name: "TerminalKit", package: "listory-tools"),
                .product(name: "TestSupport", package: "listory"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
