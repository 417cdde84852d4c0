// Takes all samples.
//
// Always holds: in each round, every contender of a group is measured once, so that other load of the machine affects
// all of them.

import BenchSupport
import Foundation

/// Measures all contenders.
struct Comparison {
    let scale: PeerScale
    let process: MeasuringProcess
    let filter: String?

    func run() throws -> Results {
        var results = Results()
        for group in scale.groups {
            let wanted = group.filter { job in filter.map(job.name.contains) ?? true }
            let lists = try buildLists(wanted)
            for round in 0..<(wanted.map(\.runs).max() ?? 0) {
                for job in wanted where round < job.runs {
                    let values = try process.values(job, list: lists[job])
                    results.add(values, of: job)
                    Comparison.tell(job, values)
                }
            }
            for list in Set(lists.values) { try? FileManager.default.removeItem(atPath: list) }
        }
        return results
    }

    /// Makes the lists that some jobs read, before the measurements, and reads each once, so that it is in the cache.
    private func buildLists(_ jobs: [Job]) throws -> [Job: String] {
        var lists: [Job: String] = [:]
        for job in jobs where job.workload == .open || job.workload == .memory {
            let list = "\(process.folder)/list-\(job.contender.rawValue)"
            try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
            let owner = job.contender == .array ? Contender.listory : job.contender
            let build = Job(workload: .build, contender: owner, size: job.size, count: 0, runs: 1)
            _ = try process.values(build, list: list)
            _ = try process.values(job, list: list)
            lists[job] = list
        }
        return lists
    }

    private static func tell(_ job: Job, _ values: Values) {
        let numbers = values.sorted { $0.key.rawValue < $1.key.rawValue }
            .map {
                "\($0.key.rawValue) \($0.value < 1_000 ? NumberText.duration($0.value) : NumberText.text($0.value))"
            }
        FileHandle.standardError.write(Data("\(job.name): \(numbers.joined(separator: ", "))\n".utf8))
    }
}
