// swift-tools-version: 6.2
// Counts instructions. A package of its own, because it is also built against another checkout of the library: the one
// that LISTORY_CHECKOUT names.
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
            // What is called otherwise in the other checkout goes into Shims.swift, under this condition.
            swiftSettings: checkout == nil ? [] : [.define("OTHER_CHECKOUT")]),
    ],
    swiftLanguageModes: [.v6]
)
