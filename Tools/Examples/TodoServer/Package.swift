// swift-tools-version: 6.2
// A web server over a store. This example is a separate package, so that only it needs Hummingbird and SwiftNIO.
import PackageDescription

let package = Package(
    name: "listory-todo-server",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "todo-server", targets: ["Program"])],
    dependencies: [
        .package(name: "listory", path: "../../.."),
        // Without its traits, which would add packages that the server does not use.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Hummingbird needs these as well.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "TodoServer",
            dependencies: [
                .product(name: "Listory", package: "listory"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/page.js"),
                .embedInCode("Page/rows.js"),
            ]),
        .executableTarget(name: "Program", dependencies: ["TodoServer"]),
        .testTarget(
            name: "TodoServerTests",
            dependencies: [
                "Program", .product(name: "Listory", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
