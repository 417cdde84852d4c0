// `listory exec`. Always holds: when an answer is printed, its commit is durable.

import ArgumentParser
import ToolSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct ExecCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Carry out requests: JSON lines in, one answer line out for each.",
        discussion: """
            A request is an object with one member. Each edit is a commit and a step of its own, except between begin \
            and end:

              {"insertSection":{"id":"today","title":"Today","at":0}}
              {"insert":{"id":7,"content":{"title":"Milk"},"section":"today","at":0}}
              {"insert":{"items":[{"id":8,"content":"Bread","checked":true}],"after":7}}
              {"move":{"id":7,"section":"today","at":1}}
              {"toggle":{"id":7}}  {"check":{"ids":[7,8],"checked":true}}
              {"update":{"id":7,"content":{"title":"Oat milk"}}}
              {"delete":{"path":[0,0],"count":2}}
              {"renameSection":{"id":"today","title":"Now"}}
              {"moveSection":{"id":"today","before":"later"}}  {"deleteSection":"today"}
              {"reload":{"sections":[{"id":"today","items":[{"id":9,"content":"Eggs"}]}]}}
              {"apply":{"sections":[{"id":"today","items":[{"id":9,"content":"Eggs"}]}]}}
              {"insert":{"id":10,"content":"Free-range","outline":{"lastChild":9}}}
              {"moveSubtree":{"id":9,"outline":{"after":8}}}  {"deleteSubtree":{"ids":[8,9]}}
              {"indent":{"id":9}}  {"outdent":{"id":9}}  {"changeDepth":{"id":9,"by":1}}
              {"collapse":{"id":8,"recursively":true}}  {"expand":{"id":8}}
              {"begin":"Tidy up"}  {"end":{}}  {"beginGroup":"Tidy up"}  {"endGroup":{}}
              {"undo":1}  {"redo":1}  {"go":12}  {"branches":{"limit":5}}
              {"earlier":2}  {"later":"5m"}  {"revert":7}  {"restore":12}
              {"restoreRow":{"id":7,"version":12}}  {"restoreSection":{"id":"today"}}

            Rows are named by id, ids, or path with count; places by section with at (the end without it; for a move, \
            at counts the rows without those that move), before, after, or a path (for a move: to). An id is an \
            integer or a string; that of a row of an app that uses UUIDs is {"$uuid":"…"}. Content is any JSON; bytes \
            that are not JSON are {"$base64":"…"}. A reload is one event that replaces everything; apply leads to the same rows by \
            the fewest events.

            A row may have a depth from 0 to 63 and be collapsed: {"id":8,"content":"Bread","depth":1,"collapsed":true}. The \
            deeper rows right after a row are below it, and move, go and are indented with it. Places in an outline are \
            root (the id of a section), firstChild and lastChild (of a row), before and after (a sibling); depths of \
            rows that are inserted there count from the place.

            Edits between begin and end are one commit. Those between beginGroup and endGroup, which may nest, are \
            commits of their own and one step: one undo takes them back. undo, redo, go, earlier, later and revert do \
            nothing if rows were changed since by somebody else, except for the steps before; with \
            {"revert":{"version":7,"skipConflicts":true}}, {"undo":{"count":1,…}}, {"earlier":{"by":"5m",…}} they \
            leave such rows as they are, do the rest, and the answer has "conflicts".

            restoreRow and restoreSection bring one row, or a section with its rows, back from a version; without one, as it was \
            before it was deleted.

            The answer to a commit is {"version":…,"changeset":{…},"hash":…}, between begin and end {"pending":events}, to \
            beginGroup and endGroup {"openGroups":count}, to branches {"branches":[…]}, and to a request that was \
            rejected, and changed nothing, {"error":{"code":…,"message":…}}, with "conflicts" where there are some. An \
            answer is printed when its commit is durable. If another process commits first and nothing is left of an \
            edit, its answer has "error" beside the others, with the code lostRace. What is between begin and end does \
            not happen at all if a line of it is rejected, or the end is missing.

            Example:
              echo '{"insertSection":{"id":"today"}}' | listory exec todo.listory

            The exit code is 6 if a line was rejected.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var origin: OriginOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try store.file.open(isReadOnly: false, isSession: true, origin: origin.name)
        var session = try ExecSession(store, origin: origin.name ?? "", input: LineReader(descriptor: STDIN_FILENO)) {
            try Standard.output.write($0)
        }
        try session.run()
        try store.close()
        if session.rejectedCount > 0 {
            throw ToolError(.rejected, "\(session.rejectedCount) of the lines were rejected")
        }
    }
}
