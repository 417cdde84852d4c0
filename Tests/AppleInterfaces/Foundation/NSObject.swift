// Declarations of Foundation: Objective-C's objects, and stand-ins for structures of C. Part of both kits.

@_exported import Foundation
@_exported import ObjectiveC

@objc public protocol NSObjectProtocol {
    func responds(to aSelector: Selector!) -> Bool
}

@objc open class NSObject: NSObjectProtocol {
    public init() {}
    open func responds(to aSelector: Selector!) -> Bool { false }
    open func forwardingTarget(for aSelector: Selector!) -> Any? { nil }
}

/// Stands in for a structure of C, because Swift on Linux does not accept structures as types that Objective-C can
/// represent.
public final class CStructure: NSObject {}

extension _ObjectiveCBridgeable where _ObjectiveCType == CStructure {
    public func _bridgeToObjectiveC() -> CStructure { CStructure() }
    public static func _forceBridgeFromObjectiveC(_ source: CStructure, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: CStructure, result: inout Self?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: CStructure?) -> Self { fatalError("never") }
}

extension CGPoint: @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = CStructure }
extension CGFloat: @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = CStructure }
