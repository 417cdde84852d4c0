// The streams of a list: where they end, how they are made, and how old messages of snapshots are removed.

import CNATS
import SharedLog

extension NATSConnection {
    /// Where a stream begins and ends, and when its last message came. The time tells a stream from one that was rolled back and has grown
    /// again.
    struct StreamEnd: Hashable {
        var first: UInt64
        var last: UInt64
        var time: Int64
        /// How many servers of the cluster keep the stream; nil if the server is in none.
        var replicas: Int?
        /// The largest message that the stream takes, with its headers; nil if it has no limit of its own.
        var maximumMessageBytes: Int?
    }

    /// Asks where a stream ends; throws if there is none.
    func end(of stream: String) throws -> StreamEnd {
        var information: UnsafeMutablePointer<jsStreamInfo>?
        try request { js_GetStreamInfo(&information, context, stream, nil, &$0) }
        defer { jsStreamInfo_Destroy(information) }
        let state = information!.pointee.State
        let configuration = information!.pointee.Config.pointee
        return StreamEnd(
            first: state.FirstSeq, last: try NATSConnection.checked(state.LastSeq), time: state.LastTime,
            replicas: information!.pointee.Cluster == nil ? nil : Int(configuration.Replicas),
            maximumMessageBytes: configuration.MaxMsgSize > 0 ? Int(configuration.MaxMsgSize) : nil)
    }

    /// Sequences are below this, so that what is computed from them fits into 64 bits.
    static let sequenceLimit: UInt64 = 1 << 62

    static func checked(_ sequence: UInt64) throws -> UInt64 {
        guard sequence < sequenceLimit else {
            throw SharedLogError.damaged(
                .end, expected: "a sequence below \(sequenceLimit)", found: "sequence \(sequence)")
        }
        return sequence
    }

    /// Makes a stream, unless it is there.
    ///
    /// - Parameter stored: the subject to which the headers of stored messages are sent; nil if the stream is not a log, and messages
    ///   may be removed from it.
    func addStream(_ name: String, subject: String, stored: String?, replicas: Int) throws {
        let strings = NATSStrings([name, subject, stored ?? ""])
        var subjects: [UnsafePointer<CChar>?] = [strings.pointers[1]]
        var republish = jsRePublish()
        jsRePublish_Init(&republish)
        republish.Source = strings.pointers[1]
        republish.Destination = strings.pointers[2]
        republish.HeadersOnly = true
        var configuration = jsStreamConfig()
        jsStreamConfig_Init(&configuration)
        configuration.Name = strings.pointers[0]
        configuration.Storage = js_FileStorage
        configuration.Discard = js_DiscardNew
        configuration.Replicas = Int64(replicas)
        configuration.AllowDirect = true
        configuration.DenyDelete = stored != nil
        configuration.DenyPurge = stored != nil
        // An id only says what a message is; nobody sends one again on purpose.
        configuration.Duplicates = 1_000_000_000
        do {
            try subjects.withUnsafeMutableBufferPointer { subjects in
                try withUnsafeMutablePointer(to: &republish) { republish in
                    configuration.Subjects = subjects.baseAddress
                    configuration.SubjectsLen = 1
                    if stored != nil { configuration.RePublish = republish }
                    try request { js_AddStream(nil, context, &configuration, nil, &$0) }
                }
            }
        } catch let failure as NATSFailure {
            switch failure.code {
            // Another client, perhaps with another number of replicas, was first.
            case JSStreamNameExistErr: return
            // A server that is just making it says that it overlaps.
            case JSStreamSubjectOverlapErr where (try? end(of: name)) != nil: return
            default: throw failure
            }
        }
    }

    /// Removes the messages up to a sequence.
    func purge(_ stream: String, upTo sequence: UInt64) throws {
        var options = jsOptions()
        jsOptions_Init(&options)
        options.Stream.Purge.Sequence = sequence + 1
        try request { js_PurgeStream(context, stream, &options, &$0) }
    }
}
