// An error of nats.c or of JetStream, and what it means for a log.

import CNATS
import SharedLog

/// What JetStream answered, or why it did not.
struct NATSFailure: Error {
    let status: natsStatus
    let code: jsErrCode
    let message: String

    var isNotFound: Bool { status == NATS_NOT_FOUND || code == JSNoMessageFoundErr || code == JSStreamNotFoundErr }

    /// Whether the stream does not end where a message expects it. Newer servers have a second code for it.
    var isWrongSequence: Bool { code == JSStreamWrongLastSequenceErr || code.rawValue == 10164 }

    var error: SharedLogError {
        // nats.c then gives the code of an account without JetStream, but a cluster that has no leader at the moment is as silent.
        if status == NATS_NO_RESPONDERS {
            return .unavailable(cause: "no JetStream answers: it is not enabled, or its servers choose a leader")
        }
        switch code {
        case JSNotEnabledErr, JSNotEnabledForAccountErr: return .refused(.permissions, cause: message)
        case JSStreamReplicasNotSupportedErr:
            return .invalidAddress(reason: "several replicas of a list need a cluster of servers")
        default: break
        }
        switch status {
        case NATS_CONNECTION_AUTH_FAILED: return .refused(.credentials, cause: message)
        case NATS_NOT_PERMITTED: return .refused(.permissions, cause: message)
        default: return .unavailable(cause: message)
        }
    }
}
