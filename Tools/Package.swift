// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "listory", targets: ["listory"]),
        .executable(name: "bench", targets: ["bench"]),
    ],
    dependencies: [
        .package(name: "listory", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "ToolSupport",
            dependencies: [.product(name: "Listory", package: "listory")]),
        .executableTarget(
            name: "listory",
            dependencies: [
                "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tool"),
        .target(
            name: "RawLMDB", dependencies: [.product(name: "LMDB", package: "listory")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "RawLMDB", "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Bench"),
        .testTarget(name: "ToolTests", dependencies: ["ToolSupport", "listory"], path: "Tests/ToolTests"),
    ],
    swiftLanguageModes: [.v6]
)
