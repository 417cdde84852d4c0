// Expects an error of a layer below, as an app sees it: as the cause of a `ListError`.

import Listory
import Testing

/// Expects that `body` throws a `ListError` with a cause of a type, and returns that cause.
@discardableResult
func expectCause<Cause: Error, Result>(
    _ type: Cause.Type, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> Cause? {
    let error = #expect(throws: ListError.self, sourceLocation: sourceLocation) { _ = try body() }
    let cause = error?.cause as? Cause
    #expect(cause != nil, "\(String(describing: error))", sourceLocation: sourceLocation)
    return cause
}
