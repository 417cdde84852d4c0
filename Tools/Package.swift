// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "listory", targets: ["ListoryTool"]),
        // For the packages Benchmarks, Inspector and Sync.
        .library(name: "ToolSupport", targets: ["ToolSupport"]),
        // For the example NoteEditor and its tests.
        .library(name: "TerminalKit", targets: ["TerminalKit"]),
        .library(name: "TerminalTestSupport", targets: ["TerminalTestSupport"]),
        // For Tools/fuzz, which links it with libFuzzer.
        .library(name: "ListoryFuzz", type: .dynamic, targets: ["FuzzTargets"]),
    ],
    dependencies: [
        .package(name: "listory", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CTerminal"),
        .target(name: "CAllocator"),
        .target(name: "TerminalKit", dependencies: ["CTerminal"]),
        .target(
            name: "ToolSupport",
            dependencies: [
                "TerminalKit",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
            ],
            resources: [.embedInCode("Demo/ReleaseChecklist.md")]),
        .executableTarget(
            name: "ListoryTool",
            dependencies: [
                "ToolSupport", "TerminalKit", "CAllocator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tool"),
        .target(name: "CPseudoTerminal", path: "Tests/CPseudoTerminal"),
        .target(
            name: "TerminalTestSupport", dependencies: ["TerminalKit", "CPseudoTerminal"],
            path: "Tests/TerminalTestSupport"),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "ToolSupport", "ListoryTool", "TerminalKit", "TerminalTestSupport",
                .product(name: "TestSupport", package: "listory"),
            ],
            path: "Tests/ToolTests"),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "ToolSupport",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
            ],
            path: "Fuzzing/Targets"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Fuzzing/Tests"),
    ],
    swiftLanguageModes: [.v6]
)
