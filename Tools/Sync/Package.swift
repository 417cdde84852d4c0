// swift-tools-version: 6.2
// Replicas of a list, and the engines of the log that they share: in memory, PostgreSQL, NATS JetStream. A separate package, so that only it
// needs the clients libpq and nats.c.
import PackageDescription

// For Tools/test: as in the package of the library. Tests that compare megabytes would otherwise keep the threads of all tests for long.
let optimized: [SwiftSetting] =
    Context.environment["LISTORY_OPTIMIZED"] != "1"
    ? []
    : [
        .unsafeFlags(
            ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"],
            .when(configuration: .debug))
    ]

let package = Package(
    name: "listory-sync",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SharedLog", targets: ["SharedLog"]),
        .library(name: "MemoryLog", targets: ["MemoryLog"]),
        .library(name: "PostgresLog", targets: ["PostgresLog"]),
        .library(name: "NATSLog", targets: ["NATSLog"]),
        .library(name: "LogServers", targets: ["LogServers"]),
        .library(name: "ListorySync", targets: ["ListorySync"]),
        .executable(name: "listory-sync", targets: ["SyncProgram"]),
        .executable(name: "sync-bench", targets: ["SyncBench"]),
    ],
    dependencies: [
        .package(name: "listory", path: "../.."),
        .package(name: "listory-tools", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "SharedLog", swiftSettings: optimized),
        .target(name: "MemoryLog", dependencies: ["SharedLog"], swiftSettings: optimized),
        .systemLibrary(
            name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "PostgresLog", dependencies: ["SharedLog", "CLibpq"], swiftSettings: optimized),
        .systemLibrary(
            name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
        .target(name: "NATSLog", dependencies: ["SharedLog", "CNATS"], swiftSettings: optimized),
        .target(
            name: "ListorySync",
            dependencies: [
                "SharedLog", .product(name: "Listory", package: "listory"),
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: optimized),
        // The engines by their addresses.
        .target(name: "SharedLogs", dependencies: ["SharedLog", "PostgresLog", "NATSLog"]),
        .executableTarget(
            name: "SyncProgram",
            dependencies: [
                "ListorySync", "SharedLogs", "LogServers",
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Servers on loopback, for the tests and for trying things out.
        .target(name: "LogServers"),
        .executableTarget(
            name: "SyncBench",
            dependencies: [
                "ListorySync", "SharedLog", "PostgresLog", "NATSLog", "LogServers", "CLibpq", "CNATS",
            ]),
        // Starts a server and waits to be killed, for the test that servers end with the process that started them.
        .executableTarget(name: "ServerHolder", dependencies: ["LogServers"], path: "Tests/ServerHolder"),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "SharedLog", "MemoryLog", "PostgresLog", "NATSLog", "LogServers", "ServerHolder", "CLibpq", "CNATS",
            ], swiftSettings: optimized),
        // A device of the tests with real servers.
        .executableTarget(
            name: "ReplicaDevice",
            dependencies: ["ListorySync", "SharedLogs", .product(name: "TestSupport", package: "listory")],
            path: "Tests/ReplicaDevice"),
        .testTarget(
            name: "ListorySyncTests",
            dependencies: [
                "ListorySync", "MemoryLog", "SharedLogs", "LogServers", "ReplicaDevice", "SyncProgram",
                .product(name: "TestSupport", package: "listory"),
            ],
            exclude: ["Fixtures"], swiftSettings: optimized),
    ],
    swiftLanguageModes: [.v6]
)
