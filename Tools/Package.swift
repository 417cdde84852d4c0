// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "listory", targets: ["ListoryTool"]),
        .executable(name: "bench", targets: ["Bench"]),
        // For the package Peers.
        .library(name: "BenchSupport", targets: ["BenchSupport"]),
        .library(name: "ToolSupport", targets: ["ToolSupport"]),
        .library(name: "RawLMDB", targets: ["RawLMDB"]),
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
        .target(
            name: "RawLMDB", dependencies: [.product(name: "LMDB", package: "listory")]),
        .target(
            name: "BenchSupport",
            dependencies: [
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
            ]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchSupport",
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Bench"),
        .testTarget(
            name: "ToolTests", dependencies: ["BenchSupport", "ToolSupport", "ListoryTool"], path: "Tests/ToolTests"),
    ],
    swiftLanguageModes: [.v6]
)
