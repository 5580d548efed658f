"""What vmtap dump shows of dumped.lua is what debug.traceback() says.

   dumped.py TRACEBACKS DUMP"""
import re
import sys


def tracebacks(path):
    """Of each thread: the places of its frames; "C" for C functions."""
    threads = {}
    for title, text in re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", open(path).read(), re.M | re.S):
        places = re.findall(r"^\t(.*?): in ", text, re.M)
        if title == "main":  # the interpreter's own function, in which the program runs
            assert places.pop() == "[C]", text
        threads[title] = ["C" if place == "[C]" else place.rsplit("/", 1)[-1] for place in places]
    return threads


def dump(path):
    """Of each thread, in order: its number, what it is doing, the other's number, its places."""
    threads = []
    for block in open(path).read().split("\n\n"):
        if not block.strip():
            continue
        head, *frames = block.strip("\n").split("\n")
        number, doing, other = re.fullmatch(r"thread (\d+): (.*?)(?: \(thread (\d+)\))?", head).groups()
        places = [re.fullmatch(r" +\S.* \((.*)\)", frame)[1] for frame in frames]
        threads.append((int(number), doing, int(other or 0),
                        ["C" if place == "(native)" else place.rsplit("/", 1)[-1] for place in places]))
    return threads


def main():
    wanted, seen = tracebacks(sys.argv[1]), dump(sys.argv[2])
    order = [("running", "runs"), ("outer", "waits for coroutine"), ("main", "waits for coroutine"),
             ("suspended", "waits for resume"), ("fresh", "waits for first resume")]
    assert len(seen) == len(order), seen
    assert len(wanted["running"]) > 4 and len(wanted["suspended"]) > 4, wanted
    for (title, doing), (_, said, _, places) in zip(order, seen):
        assert said == doing, (title, said)
        # debug.traceback() shows nothing of a coroutine that has not begun
        if title == "fresh":
            assert len(places) == 1 and re.fullmatch(r"dumped\.lua:\d+", places[0]), places
        else:
            assert places == wanted[title], (title, places, wanted[title])
    assert seen[0][2] == 0 and seen[1][2] == seen[0][0] and seen[2][2] == seen[1][0], seen
    assert seen[2][0] == 1, seen


main()
