// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "listory", targets: ["ListoryTool"]),
        // For the package Benchmarks.
        .library(name: "ToolSupport", targets: ["ToolSupport"]),
        // For Tools/fuzz, which links it with libFuzzer.
        .library(name: "ListoryFuzz", type: .dynamic, targets: ["FuzzTargets"]),
    ],
    dependencies: [
        .package(name: "listory", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "ToolSupport",
            dependencies: [
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
            ],
            resources: [.embedInCode("Demo/ReleaseChecklist.md")]),
        .executableTarget(
            name: "ListoryTool",
            dependencies: [
                "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tool"),
        .testTarget(
            name: "ToolTests",
            dependencies: ["ToolSupport", "ListoryTool", .product(name: "TestSupport", package: "listory")],
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
