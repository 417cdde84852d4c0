// swift-tools-version: 6.2
// The page that shows a store and its past in a browser. A separate package, so that only it needs Hummingbird and SwiftNIO.
import PackageDescription

let package = Package(
    name: "listory-inspector",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ListoryInspector", targets: ["ListoryInspector"]),
        .executable(name: "listory-inspect", targets: ["ListoryInspect"]),
    ],
    dependencies: [
        .package(name: "listory", path: "../.."),
        .package(name: "listory-tools", path: ".."),
        // Without its traits, which would add packages that the server does not use.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Hummingbird needs these as well.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ListoryInspector",
            dependencies: [
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "ListoryTestSupport", package: "listory"),
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // A file of the page is listed here and in Sources/ListoryInspector/Server/PageFiles.swift.
            resources: [
                .embedInCode("Page/page.html"),
                .embedInCode("Page/page.css"),
                .embedInCode("Page/icon.svg"),
                .embedInCode("Page/changes.js"),
                .embedInCode("Page/commit.js"),
                .embedInCode("Page/log.js"),
                .embedInCode("Page/page.js"),
                .embedInCode("Page/panels.js"),
                .embedInCode("Page/row.js"),
                .embedInCode("Page/rows.js"),
                .embedInCode("Page/server.js"),
                .embedInCode("Page/text.js"),
                .embedInCode("Page/timeline.js"),
                .embedInCode("Page/windowed.js"),
            ]),
        .executableTarget(
            name: "ListoryInspect",
            dependencies: [
                "ListoryInspector",
                .product(name: "ToolSupport", package: "listory-tools"),
            ],
            path: "Sources/Program"),
        .testTarget(
            name: "InspectorTests",
            dependencies: [
                "ListoryInspector", "ListoryInspect",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "TestSupport", package: "listory"),
            ]),
        // In a browser, which Tools/prepare installs.
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "ListoryInspector", "ListoryInspect",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "ToolSupport", package: "listory-tools"),
                .product(name: "TestSupport", package: "listory"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
