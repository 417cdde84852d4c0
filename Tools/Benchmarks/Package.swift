// swift-tools-version: 6.2
// Everything that measures: a separate package, so that only benchmarks build it and the peers.
import PackageDescription

let package = Package(
    name: "listory-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bench", targets: ["Bench"]),
        .executable(name: "bench-probe", targets: ["BenchProbe"]),
        .executable(name: "peers", targets: ["Peers"]),
    ],
    dependencies: [
        .package(name: "listory", path: "../.."),
        .package(name: "listory-tools", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(
            name: "RawLMDB", dependencies: [.product(name: "LMDB", package: "listory")]),
        // The common part of both processes of a measurement in a fresh process. It must not import Foundation, which
        // would be measured with the list.
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
                .product(name: "LMDB", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
            ]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchSupport",
                // Not linked, but built first, because `bench` starts it and must not start an older one.
                "BenchProbe",
                "ProbeSupport",
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "LMDB", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "Peers",
            dependencies: [
                "BenchSupport",
                "ProbeSupport",
                "RawLMDB",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "BenchSupport", "BenchProbe", "ProbeSupport", "Bench", "Peers",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
