// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "listory", targets: ["ListoryTool"]),
        .executable(name: "bench", targets: ["Bench"]),
        .executable(name: "bench-probe", targets: ["BenchProbe"]),
        // For the package Peers.
        .library(name: "BenchSupport", targets: ["BenchSupport"]),
        .library(name: "ProbeSupport", targets: ["ProbeSupport"]),
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
        // What both sides of a measurement know that is taken in a fresh process. Nothing here may import Foundation,
        // which would be measured with the list.
        .target(name: "ProbeSupport"),
        .executableTarget(
            name: "BenchProbe",
            dependencies: [
                "ProbeSupport",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
            ]),
        .target(
            name: "BenchSupport",
            dependencies: [
                "ProbeSupport",
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
            ]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchSupport",
                // Not linked, but built before: `bench` starts it, and must not start an older one.
                "BenchProbe",
                "ProbeSupport",
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Bench"),
        .testTarget(
            name: "ToolTests",
            dependencies: ["BenchSupport", "BenchProbe", "ProbeSupport", "ToolSupport", "ListoryTool"],
            path: "Tests/ToolTests"),
    ],
    swiftLanguageModes: [.v6]
)
