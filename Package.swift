// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "listory",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "ListModel", targets: ["ListModel"])],
    targets: [
        .target(name: "ListModel"),
        .target(name: "TestSupport", dependencies: ["ListModel"], path: "Tests/TestSupport"),
        .testTarget(name: "ListModelTests", dependencies: ["ListModel", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
