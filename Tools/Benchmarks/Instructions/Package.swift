// swift-tools-version: 6.2
// Counts instructions. It is a separate package, because it is also built against another checkout of the library, the
// folder in LISTORY_CHECKOUT.
import PackageDescription

let checkout = Context.environment["LISTORY_CHECKOUT"]

let package = Package(
    name: "listory-instructions",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "instruction-probe", targets: ["InstructionProbe"])],
    dependencies: [.package(name: "listory", path: checkout ?? "../../..")],
    targets: [
        .target(name: "Callgrind"),
        .executableTarget(
            name: "InstructionProbe",
            dependencies: [
                "Callgrind",
                .product(name: "Listory", package: "listory"),
                .product(name: "ListModel", package: "listory"),
            ],
            // Calls that have other names in the other checkout are put into a file Shims.swift, under this condition.
            swiftSettings: checkout == nil ? [] : [.define("OTHER_CHECKOUT")]),
    ],
    swiftLanguageModes: [.v6]
)
