// swift-tools-version: 6.2
import PackageDescription

// For Tools/test: what tests spend most of their time in, optimized, with its assertions.
let optimized: [SwiftSetting] =
    Context.environment["LISTORY_OPTIMIZED"] != "1"
    ? []
    : [
        .unsafeFlags(
            ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"],
            .when(configuration: .debug))
    ]

let package = Package(
    name: "listory",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Listory", targets: ["Listory"]),
        .library(name: "ListoryUI", targets: ["ListoryUI"]),
        .library(name: "ListModel", targets: ["ListModel"]),
        .library(name: "LMDB", targets: ["LMDB"]),
        .library(name: "ListoryTestSupport", targets: ["ListoryTestSupport"]),
        // For the tests and benchmarks of the packages in Tools; not for apps.
        .library(name: "TestSupport", targets: ["TestSupport"]),
    ],
    traits: [
        .trait(name: "Logging", description: "Stores write events to swift-log."),
        .trait(name: "Metrics", description: "Stores count and time their work in swift-metrics."),
        .trait(name: "Signposts", description: "Stores mark their work in Instruments, on Apple's systems."),
    ],
    // Neither fetched nor built without the trait.
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: optimized),
        .target(name: "ListModel", dependencies: ["CZlib"], swiftSettings: optimized),
        .target(
            name: "Listory",
            dependencies: [
                "ListModel", "LMDB",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ], swiftSettings: optimized),
        .target(name: "ListoryUI", dependencies: ["Listory", "ListModel"]),
        .target(name: "ListoryTestSupport", dependencies: ["ListModel"]),

        .testTarget(name: "LayerTests", swiftSettings: optimized),
        .target(
            name: "TestSupport", dependencies: ["ListModel"], path: "Tests/TestSupport", swiftSettings: optimized),
        .executableTarget(name: "LMDBTestHelper", dependencies: ["LMDB", "TestSupport"], path: "Tests/LMDBTestHelper"),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "LMDBTestHelper", "TestSupport"]),
        .testTarget(name: "ListModelTests", dependencies: ["ListModel", "ListoryTestSupport", "TestSupport"]),
        .testTarget(
            name: "ListoryTestSupportTests", dependencies: ["ListModel", "ListoryTestSupport", "TestSupport"]),
        .executableTarget(
            name: "StoreWriter", dependencies: ["Listory", "TestSupport"], path: "Tests/StoreWriter"),
        .target(name: "WriteRecorder", path: "Tests/WriteRecorder"),
        .executableTarget(
            name: "RecordedWriter", dependencies: ["Listory", "TestSupport", "WriteRecorder"],
            path: "Tests/RecordedWriter"),
        // No dependency of the tests, which would be linked with its functions of the C library.
        .target(name: "FaultInjector", path: "Tests/FaultInjector"),
        .executableTarget(
            name: "FaultyWriter", dependencies: ["Listory", "TestSupport", "FaultInjector"],
            path: "Tests/FaultyWriter"),
        // The same holds for these.
        .target(name: "Scheduler", path: "Tests/Scheduler"),
        .executableTarget(
            name: "ScheduledWriter", dependencies: ["Listory", "TestSupport", "Scheduler"],
            path: "Tests/ScheduledWriter"),
        .testTarget(
            name: "ListoryTests", dependencies: ["Listory", "TestSupport", "StoreWriter", "RecordedWriter"]),
        .testTarget(
            name: "ListoryUITests",
            dependencies: ["ListoryUI", "Listory", "ListModel", "ListoryTestSupport", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
