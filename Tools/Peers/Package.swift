// swift-tools-version: 6.2
// The benchmarks beside other people's libraries: a package of its own, so that nobody else has to build them.
import PackageDescription

let package = Package(
    name: "listory-peers",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "peers", targets: ["Peers"])],
    dependencies: [
        .package(name: "listory", path: "../.."),
        .package(name: "listory-tools", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "BenchSupport", package: "listory-tools"),
                .product(name: "ProbeSupport", package: "listory-tools"),
                .product(name: "RawLMDB", package: "listory-tools"),
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
