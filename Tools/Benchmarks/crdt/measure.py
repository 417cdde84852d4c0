"""Measures Loro and pycrdt, one contender and one workload in each process, and prints the results as JSON.

Always holds:
- the recording is read, and every argument is made, before the clock starts;
- calls go directly to the native objects of the binding if possible, not to its Python wrappers;
- the time of the calls from Python is measured with equally many calls that do nothing, in the same loop; those for Loro
  convert the same strings. It is printed beside the raw time; `net` is the difference;
- the result is compared with the end of the recording, outside of the measured time.

The keys are grouped in the best way for each library. Loro is fastest if all keys are one commit, so that is measured;
if keys are undone one by one, each is a commit. pycrdt is fastest if each key is a transaction, because it then merges
neighbours; one transaction for all takes minutes.
"""

import argparse
import ctypes
import gc
import gzip
import json
import time

import loro
import pycrdt

# Undoing stops after this many seconds; the time of one undo is printed.
LONGEST_UNDO = 60


def read_keys(path, limit):
    """Single keys as (position, character), with None for a deletion; and the text at the end, or None."""
    with gzip.open(path) as file:
        recording = json.load(file)
    keys = []
    for transaction in recording["txns"]:
        for position, deleted, inserted in transaction["patches"]:
            keys += [(position, None)] * deleted
            keys += [(position + offset, character) for offset, character in enumerate(inserted)]
            if len(keys) >= limit:
                return keys[:limit], None
    return keys, recording["endContent"]


def seconds(body):
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


def private_memory():
    """The bytes in memory that belong to this process alone."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon:"))


class Loro:
    """A sequence of Loro: a list, a movable list or a text."""

    def __init__(self, kind):
        self.document = loro.LoroDoc()
        self.sequence = getattr(self.document, f"get_{kind}")("sequence")
        self.kind = kind

    def watch(self):
        """Makes every commit from now on a step that can be undone."""
        self.undoer = loro.UndoManager(self.document)
        self.undoer.set_merge_interval(0)
        self.undoer.set_max_undo_steps(1_000_000)

    def type(self, keys, commits_each):
        insert, delete, commit = self.sequence.insert, self.sequence.delete, self.document.commit
        if commits_each:
            for position, character in keys:
                if character is None:
                    delete(position, 1)
                else:
                    insert(position, character)
                commit()
        else:
            for position, character in keys:
                if character is None:
                    delete(position, 1)
                else:
                    insert(position, character)
            commit()

    def call_idly(self, keys, commits_each):
        """The calls of `type`, with nothing to do."""
        delete, empty = self.sequence.delete, self.sequence.is_empty
        # Of another document: it only keeps the string.
        take_string = loro.LoroDoc().set_next_commit_message
        for _, character in keys:
            if character is None:
                delete(0, 0)
            else:
                take_string(character)
            if commits_each:
                empty()

    def content(self):
        return self.sequence.to_string() if self.kind == "text" else "".join(self.sequence.get_value())

    def exported(self):
        return self.document.export(loro.ExportMode.Snapshot())

    def look_back(self, keys):
        """The seconds of a checkout of the version in the middle, and of the difference between it and the newest."""
        middle = len(keys) // 2
        document = Loro(self.kind)
        document.type(keys[:middle], False)
        old = document.document.state_frontiers
        document.type(keys[middle:], False)
        new = document.document.state_frontiers
        checkout = seconds(lambda: document.document.checkout(old))
        document.document.checkout_to_latest()
        return checkout, seconds(lambda: document.document.diff(old, new))


class Pycrdt:
    """A sequence of pycrdt: an array or a text."""

    def __init__(self, kind):
        self.document = pycrdt.Doc()
        self.document["sequence"] = self.sequence = {"array": pycrdt.Array, "text": pycrdt.Text}[kind]()

    def watch(self):
        """Makes every transaction from now on a step that can be undone."""
        self.undoer = pycrdt.UndoManager(scopes=[self.sequence], capture_timeout_millis=0)

    def type(self, keys, commits_each):
        begin, native = self.document._doc.create_transaction, self.sequence.integrated
        insert, delete = native.insert, native.remove_range
        for position, character in keys:
            transaction = begin()
            if character is None:
                delete(transaction, position, 1)
            else:
                insert(transaction, position, character)
            transaction.commit()
            transaction.drop()

    def call_idly(self, keys, commits_each):
        """The calls of `type`, with nothing to do."""
        native = self.sequence.integrated
        transaction = self.document._doc.create_transaction()
        delete, origin = native.remove_range, transaction.origin
        for _, character in keys:
            origin()
            if character is None:
                delete(transaction, 0, 0)
            else:
                delete(transaction, 0, 0)
            origin()
            origin()
        transaction.drop()

    def content(self):
        sequence = self.sequence
        return str(sequence) if isinstance(sequence, pycrdt.Text) else "".join(sequence)

    def exported(self):
        return self.document.get_update()


def typed(sequence, keys, end, commits_each):
    """Types the keys. Returns the seconds in total, the seconds of the calls alone, and the memory."""
    gc.collect()
    # Memory that reading the recording has freed must not be used again by the sequence.
    ctypes.CDLL(None).malloc_trim(0)
    before = private_memory()
    raw = seconds(lambda: sequence.type(keys, commits_each))
    memory = private_memory() - before
    if end is not None and sequence.content() != end:
        raise SystemExit("the text does not end as the recording does")
    idle = seconds(lambda: sequence.call_idly(keys, commits_each))
    # The loop itself is in both.
    return raw, min(idle, raw), memory


def measure_trace(sequence, keys, end):
    raw, overhead, memory = typed(sequence, keys, end, False)
    values = {"seconds": raw, "overhead": overhead, "net": raw - overhead, "memory": memory}
    values["disk"] = len(sequence.exported())
    if isinstance(sequence, Loro) and sequence.kind == "movable_list":
        values["checkout"], values["difference"] = sequence.look_back(keys)
    return values


def measure_undo(sequence, keys, end, count):
    sequence.watch()
    typed(sequence, keys, end, True)
    undo, can_undo = sequence.undoer.undo, sequence.undoer.can_undo
    done = 0
    start = time.perf_counter()
    deadline = start + LONGEST_UNDO
    while done < count:
        if not undo():
            raise SystemExit(f"undo {done + 1} did nothing")
        done += 1
        if done % 10 == 0 and time.perf_counter() > deadline:
            break
    raw = time.perf_counter() - start

    def call_idly():
        for _ in range(done):
            can_undo()

    return {"undo": (raw - min(seconds(call_idly), raw)) / done}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=["trace", "undo"])
    parser.add_argument("contender", help="loro-list, loro-text, loro-movable-list, pycrdt-array or pycrdt-text")
    parser.add_argument("--recording", required=True, help="the gzipped recording")
    parser.add_argument("--size", type=int, required=True, help="how many keys are typed at most")
    parser.add_argument("--count", type=int, required=True, help="how many keys are undone")
    arguments = parser.parse_args()

    keys, end = read_keys(arguments.recording, arguments.size)
    library, kind = arguments.contender.split("-", 1)
    sequence = {"loro": Loro, "pycrdt": Pycrdt}[library](kind.replace("-", "_"))
    if arguments.workload == "trace":
        values = measure_trace(sequence, keys, end)
    else:
        values = measure_undo(sequence, keys, end, arguments.count)
    print(json.dumps(values))


main()
