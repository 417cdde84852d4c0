// A file that is made under a name of its own, and appears at its place when it is complete.
//
// Always holds: nobody else writes to it before, and a file that is at the place already stays as it is: several programs may make
// the first file of a replica at the same time.

import Foundation

/// A file that is being made.
package struct FileInMaking {
    /// Where it is made.
    package let path: String
    private let place: String

    /// - Parameter place: where it will be.
    package init(for place: String) {
        self.place = place
        path = place + "-making-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        removeForsaken()
    }

    /// Moves the closed file to its place.
    ///
    /// - Returns: false if there is one by now. Then this one is removed.
    /// - Throws: an error of the system.
    package func appear() throws -> Bool {
        defer { remove() }
        // Unlike a move, a link replaces nothing.
        if link(path, place) == 0 { return true }
        if errno == EEXIST { return false }
        // Some file systems have no links.
        try FileManager.default.moveItem(atPath: path, toPath: place)
        return true
    }

    /// Removes what was made, and its lock.
    package func remove() { FileInMaking.remove(path) }

    /// Removes what processes have left that were killed meanwhile.
    private func removeForsaken() {
        let place = URL(fileURLWithPath: place)
        let folder = place.deletingLastPathComponent().path
        let prefix = place.lastPathComponent + "-making-"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            let parts = name.dropFirst(prefix.count).split(separator: "-")
            guard parts.count >= 2, let process = pid_t(parts[0]), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            FileInMaking.remove(folder + "/" + name)
        }
    }

    /// Removes a file that nobody has open, and its lock.
    static func remove(_ path: String) {
        for name in [path, path + "-lock"] { try? FileManager.default.removeItem(atPath: name) }
    }
}
