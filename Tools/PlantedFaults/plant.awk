# Reads the planted faults, and checks that they fit the sources, lists them, or plants all of them in a copy.
#
#   awk -v task=check|list|plant -v root=FOLDER [-v copy=FOLDER] -f plant.awk *.faults
#
# A file of faults has for each fault:
#
#     == a-name-that-says-what-is-wrong
#     A sentence.
#     in: Sources/…                    the file
#     -old lines                       whole lines, as they are; they occur exactly once in the file
#     +new lines                       PLANTED is whether the fault is on; there may be several such pairs
#     tests: REGULAR EXPRESSION        the tests that should find it
#     hangs: SECONDS                   only if they find it because they hang: a run that takes longer does
#     changes nothing: why             only if nothing can find it
#
# `list` prints number, name, tests, why it changes nothing (or -), file of faults, after how many seconds it hangs (or -).

function fail(text) {
    print text > "/dev/stderr"
    failures++
}

function contents(path,    text, line, status) {
    text = "\n"
    while ((status = (getline line < path)) > 0) text = text line "\n"
    close(path)
    if (status < 0) fail(path ": cannot be read")
    return text
}

# Checks an edit and remembers where it is.
function place(edit,    text, old, at, count, from) {
    text = source[file[edit]]
    old = "\n" before[edit]
    count = 0
    from = 1
    while ((at = index(substr(text, from), old)) > 0) {
        count++
        start[edit] = from + at - 1
        from += at
    }
    if (count != 1) {
        fail(name[owner[edit]] ": expected its old text once in " file[edit] ", found " count)
        return
    }
    finish[edit] = start[edit] + length(old) - 1
    for (other = 1; other < edit; other++) {
        if (file[other] == file[edit] && start[other] < finish[edit] && start[edit] < finish[other]) {
            fail(name[owner[edit]] ": overlaps " name[owner[other]])
        }
    }
}

FNR == 1 { room = FILENAME; sub(/^.*\//, "", room); sub(/\.faults$/, "", room) }
/^== / {
    faults++
    name[faults] = substr($0, 4)
    rooms[faults] = room
    if (known[name[faults]]++) fail(name[faults] ": the name is not unique")
    path = ""
    isNew = 1
    next
}
/^in: / { path = substr($0, 5); isNew = 1; next }
/^tests: / { tests[faults] = substr($0, 8); next }
/^hangs: / { patience[faults] = substr($0, 8); next }
/^changes nothing: / { nothing[faults] = substr($0, 18); next }
/^-/ {
    if (isNew) {
        edits++
        owner[edits] = faults
        file[edits] = path
        before[edits] = after[edits] = ""
        isNew = 0
    }
    before[edits] = before[edits] substr($0, 2) "\n"
    next
}
/^\+/ {
    line = substr($0, 2)
    while ((at = index(line, "PLANTED")) > 0) {
        line = substr(line, 1, at - 1) "PlantedFault.isOn(" faults ")" substr(line, at + 7)
        hasSwitch[edits] = 1
    }
    after[edits] = after[edits] line "\n"
    isNew = 1
    # Lines that follow belong to the same edit.
    next
}

END {
    for (edit = 1; edit <= edits; edit++) {
        if (!(file[edit] in source)) source[file[edit]] = contents(root "/" file[edit])
        place(edit)
        if (!hasSwitch[edit]) fail(name[owner[edit]] ": its new text has no PLANTED")
    }
    for (fault = 1; fault <= faults; fault++) {
        if (tests[fault] == "") fail(name[fault] ": no tests")
    }
    if (failures > 0) exit 1
    if (task == "check") print faults " planted faults fit the sources"
    if (task == "list") {
        for (fault = 1; fault <= faults; fault++) {
            why = fault in nothing ? nothing[fault] : "-"
            seconds = fault in patience ? patience[fault] : "-"
            print fault "\t" name[fault] "\t" tests[fault] "\t" why "\t" rooms[fault] "\t" seconds
        }
    }
    if (task != "plant") exit 0
    for (path in source) {
        text = source[path]
        # From the end to the beginning, so that places stay right.
        while (1) {
            last = 0
            for (edit = 1; edit <= edits; edit++) {
                if (file[edit] == path && !(edit in done) && (last == 0 || start[edit] > start[last])) last = edit
            }
            if (last == 0) break
            text = substr(text, 1, start[last]) after[last] substr(text, finish[last] + 1)
            done[last] = 1
        }
        target = copy "/" path
        printf "%s", substr(text, 2) > target
        close(target)
    }
}
