"""Prints D scripts that only aggregate, made at random, one a line: reduce_scripts.py SEED COUNT [varied]"""
import random
import sys

# Whether the scripts have what differs from run to run, or makes large records where it is not
# carried out.
VARIED = len(sys.argv) > 3

NUMBERS = ["0", "1", "-1", "7", "40", "255", "-40", str(1 << 33), str(-(1 << 63) + 1)]
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "==", "<", ">=", "!="]
TYPES = ["char", "uint8_t", "short", "int", "uint32_t", "int64_t"]
WORDS = ["solve", "set", "init", "s", "solutions", "a longer text than one word", ""]


def expression(choice, depth=0):
    kind = choice.random()
    if depth > 3 or kind < 0.35:
        return choice.choice(["arg3", "arg4", "self->v", "(tid - tid)", choice.choice(NUMBERS)])
    one, other = expression(choice, depth + 1), expression(choice, depth + 1)
    if kind < 0.75:
        return f"({one} {choice.choice(OPERATORS)} {other})"
    if kind < 0.85:
        return f"({one} {choice.choice(['<<', '>>'])} ({other} & 15))"
    if kind < 0.9:
        return f"{choice.choice('-~!')}({one})"
    if kind < 0.95:
        return f"({one} ? {other} : {expression(choice, depth + 1)})"
    return f"({choice.choice(TYPES)})({one})"


def key(choice):
    more = ["ustack()", "ustack(3)", "vtimestamp", "walltimestamp / 1000"] if VARIED else []
    return choice.choice(more + ["ppid == $pid", "errno", "uregs[R_RSP] & 1", "copyinstr(arg1)", "copyinstr(arg0)", "copyinstr(arg1, 3)", "probename",
                          '"k"', "arg3", "arg4", "execname", "copyinstr(arg1, arg3 & 7)",
                          expression(choice, 2)])


def predicate(choice):
    kind = choice.random()
    if kind < 0.3:
        return ""
    if kind < 0.5:
        operator = choice.choice(["==", "!=", "<", ">="])
        return f'/copyinstr(arg1) {operator} "{choice.choice(WORDS)}"/ '
    return f"/{expression(choice)}/ "


def function(choice):
    name = choice.choice(["count", "sum", "min", "max", "avg", "stddev", "quantize", "weighted",
                          "lquantize", "llquantize"])
    value = expression(choice)
    if name == "count":
        return "count()"
    if name == "weighted":
        return f"quantize({value}, {expression(choice)})"
    if name == "lquantize":
        return f"lquantize({value}, -50, 100, {choice.randint(1, 20)})"
    if name == "llquantize":
        return f"llquantize({value}, 10, 0, 6, 20)"
    return f"{name}({value})"


def script(choice):
    text, number = "vm$target:::method-entry { self->v = arg3; } ", 0
    for _ in range(choice.randint(1, 4)):
        text += f"vm$target:::method-{choice.choice(['entry', 'return'])} {predicate(choice)}{{ "
        for _ in range(choice.randint(1, 3)):
            keys = ", ".join(key(choice) for _ in range(choice.randint(0, 3)))
            text += f"@a{number}{'[' + keys + ']' if keys else ''} = {function(choice)}; "
            number += 1
            if choice.random() < 0.2:
                text += f"self->v = {expression(choice)}; "
        text += "} "
    return text


for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    print(script(random.Random(seed)))
