// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "todo",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "listory", path: "../listory")],
    targets: [
        .executableTarget(name: "todo", dependencies: [.product(name: "Listory", package: "listory")])
    ]
)
