// Projections of a typed store.

import ListModel

extension ListStore {
    /// A projection of the events of this store that looks at items. See ``Store/projection(_:)``.
    ///
    /// - Throws: as ``Store/projection(_:)``.
    public func projection<Value: ItemProjection<Item> & SendableMetatype>(
        _ type: Value.Type
    ) throws -> LiveProjection<Value> {
        try core.projection(ProjectionRules<Value>.typed(coder))
    }

    /// A projection of the events of this store. See ``Store/projection(_:)``.
    public func projection<Value: Projection & SendableMetatype>(_ type: Value.Type) throws -> LiveProjection<Value> {
        try core.projection(type)
    }
}
