// What an alert shows of an error.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ListError: LocalizedError {
    /// The ``ListError/description``, for alerts that show `localizedDescription`. It is in English.
    public var errorDescription: String? { description }
}
