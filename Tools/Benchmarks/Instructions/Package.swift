// swift-tools-version: 6.2
// Counts instructions. It is a separate package, because it is also built against another checkout of the library, the
// folder in LISTORY_CHECKOUT.
import Foundation
import PackageDescription

let checkout = Context.environment["LISTORY_CHECKOUT"]

// The name of the library's package, after its folder. The probe is compiled as a part of it, because it switches off the
// index of touches, which apps have no reason to.
let folder = URL(fileURLWithPath: checkout ?? "\(Context.packageDirectory)/../../..").standardized.lastPathComponent
let identity = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

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
            packageAccess: false,
            // Calls that have other names in the other checkout are put into a file Shims.swift, under this condition.
            swiftSettings: [.unsafeFlags(["-package-name", identity])]
                + (checkout == nil ? [] : [.define("OTHER_CHECKOUT")])),
    ],
    swiftLanguageModes: [.v6]
)
