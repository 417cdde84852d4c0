// swift-tools-version: 6.2
// A window over a store. This example is a separate package, so that only it needs GTK.
import PackageDescription

let package = Package(
    name: "listory-todo-window",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "todo-window", targets: ["Todo"])],
    dependencies: [.package(name: "listory", path: "../../..")],
    targets: [
        .systemLibrary(
            name: "CGTK", pkgConfig: "gtk4-x11", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(name: "CListRows", dependencies: ["CGTK"]),
        .target(
            name: "TodoWindow",
            dependencies: [
                "CListRows",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
            ]),
        .executableTarget(name: "Todo", dependencies: ["TodoWindow"]),

        .target(
            name: "CDriver", dependencies: ["CGTK"], path: "Tests/CDriver", linkerSettings: [.linkedLibrary("X11")]),
        // Runs a window and drives it from the inside. The tests start it as a process, so that a crash fails only one
        // test.
        .executableTarget(
            name: "WindowDriver",
            dependencies: [
                "TodoWindow", "CListRows", "CDriver",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
                .product(name: "TestSupport", package: "listory"),
            ],
            path: "Tests/WindowDriver"),
        .testTarget(
            name: "TodoWindowTests",
            dependencies: ["Todo", "WindowDriver", .product(name: "TestSupport", package: "listory")]),
    ],
    swiftLanguageModes: [.v6]
)
