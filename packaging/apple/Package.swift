// swift-tools-version:5.9
// Beside the KleidiAI.xcframework that packaging/bundle.py makes. In Swift: import KleidiAI
//
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "KleidiAI",
    platforms: [.macOS(.v11), .iOS(.v13)],
    products: [.library(name: "KleidiAI", targets: ["KleidiAI"])],
    targets: [.binaryTarget(name: "KleidiAI", path: "KleidiAI.xcframework")]
)
