// swift-tools-version: 6.2
// Tests of what a store reports. It is a separate package, because it builds the library with its traits.
import PackageDescription

let package = Package(
    name: "listory-diagnostics",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "listory", path: "../..", traits: ["Logging", "Metrics", "Signposts"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "Neighbour", dependencies: [.product(name: "Listory", package: "listory")], path: "Neighbour"),
        .testTarget(
            name: "DiagnosticsTests",
            dependencies: [
                "Neighbour",
                .product(name: "Listory", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)
