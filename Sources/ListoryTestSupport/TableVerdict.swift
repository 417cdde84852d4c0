// The verdict of a strict view on a batch.

/// The outcome of a batch of updates in a list view.
public enum TableVerdict: Hashable, Sendable {
    /// The view plays it, and then shows the right rows.
    case accepted
    /// The view ends the process: on a device an NSInternalInconsistencyException with about this message.
    case rejected(String)
    /// The view plays it, and crashes or shows wrong rows later.
    case hazard(String)
    /// The view plays it, and then shows other rows than the data source has.
    case wrongRows(String)

    /// Whether the view plays it without a hazard, and shows the right rows.
    public var isAccepted: Bool { self == .accepted }

    /// What is wrong; nil if nothing is.
    public var message: String? {
        switch self {
        case .accepted: nil
        case .rejected(let message), .hazard(let message), .wrongRows(let message): message
        }
    }
}

extension TableVerdict: CustomStringConvertible {
    public var description: String {
        switch self {
        case .accepted: "accepted"
        case .rejected(let message): "rejected: \(message)"
        case .hazard(let message): "hazard: \(message)"
        case .wrongRows(let message): "wrong rows: \(message)"
        }
    }
}
