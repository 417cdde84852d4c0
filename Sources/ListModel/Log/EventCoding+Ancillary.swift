// Ancillary events as bytes: kind, length of the payload, payload. So a reader can skip an unknown kind.
//
// Always holds: an unknown event is returned with the bytes that were read.

extension ByteWriter {
    /// Writes an ancillary event.
    mutating func write(ancillary event: ListEvent) {
        switch event {
        case .annotated(let name, let value):
            let nameBytes = name.utf8.count
            write(byte: EventKind.annotated.rawValue)
            write(count: ByteWriter.byteCount(ofVarint: nameBytes) + nameBytes + value.count)
            write(name)
            value.withUnsafeBytes { write(raw: $0) }
        case .unrecognised(let kind, let payload):
            write(byte: kind)
            write(count: payload.count)
            payload.withUnsafeBytes { write(raw: $0) }
        default: preconditionFailure("the event says something about the rows")
        }
    }

    /// How many bytes a varint takes.
    private static func byteCount(ofVarint value: Int) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }
}

extension RecordReader {
    /// Reads an event of an unknown kind, after the kind, which is at `start`.
    mutating func readUnrecognised(_ kind: UInt8, _ start: RecordReader) throws -> ListEvent {
        guard kind >= EventKind.firstAncillary else {
            throw start.error(.unknown(what: "kind of event", found: Int(kind)))
        }
        let payload = try readBytes(try readCount("the length of an event"), "an event")
        return .unrecognised(kind: kind, payload: Array(payload))
    }

    /// Reads an annotation, after its kind.
    mutating func readAnnotation() throws -> ListEvent {
        let count = try readCount("the length of an annotation")
        let end = offset + count
        let name = try readString("the name of an annotation")
        guard offset <= end else {
            throw error(
                .invalid(
                    what: "name of an annotation", expected: "at most \(count) bytes",
                    found: "\(offset - end) more"))
        }
        return .annotated(name: name, value: Array(try readBytes(end - offset, "an annotation")))
    }
}
