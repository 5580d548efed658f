#!/bin/bash
# No two files of the library define a static function, a static object or a constant of an enum of
# one name, so that all its sources can be compiled as one file. No compiler says so: in one file
# two static objects without initializers are one object. None of the names is a bare word that is
# found everywhere, either; and a few such words are the name of no static function in any file under
# src. The check itself is checked on sources with one offence of each kind.
set -eu
exec python3 - <<'PYTHON'
import collections
import glob
import re
import sys

# What a function or an object of the library must not be called, since nobody finds it again, and
# what no function under src must be called.
BARE = {'add', 'begin', 'drain', 'find', 'grow', 'helper', 'is_inside', 'lock', 'make', 'running', 'state', 'take', 'turn'}
BARE_EVERYWHERE = ('add', 'find', 'grow', 'take')


def without_attributes(text):
    return re.sub(r'__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)[ \t]*', '', text)


def at_file_scope(text):
    """The declarations and definitions of a file, each without what its braces contain."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', '""', text)
    text = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.M)
    depth, current, found = 0, '', []
    for character in text:
        if character == '{':
            current += '{' if depth == 0 else ''
            depth += 1
        elif character == '}':
            depth -= 1
            current += '}' if depth == 0 else ''
            if depth == 0 and re.search(r'\)\s*\{\}$', current) and '=' not in current:
                found.append(current)
                current = ''
        elif depth == 0:
            current += character
            if character == ';':
                found.append(current[:-1])
                current = ''
    return [without_attributes(each) for each in found]


def static_names(text):
    names = []
    for each in at_file_scope(text):
        if not re.match(r'\s*(?:inline\s+|extern\s+)*static\b', each):
            continue
        function = re.match(r'[^=(]*?(\w+)\s*\([^{;]*\)\s*\{\}$', each, re.S)
        if function:
            names.append(function[1])
            continue
        each = re.sub(r'\{\}|\[[^\]]*\]', ' ', each)
        for part in each.split(','):
            part = part.split('=')[0].rstrip()
            name = re.search(r'\(\s*\*\s*(?:_Atomic\s+)?(\w+)\s*\)\s*\(', part) or re.search(r'(\w+)$', part)
            if name:
                names.append(name[1])
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    for constants in re.findall(r'\benum\s*\w*\s*\{([^}]*)\}', text):
        names += re.findall(r'(?:^|,)\s*(\w+)', re.sub(r'\((?:[^()]|\([^()]*\))*\)', ' ', constants))
    return set(names)


def offences(sources):
    where = collections.defaultdict(list)
    for file, text in sorted(sources.items()):
        for name in static_names(text):
            where[name].append(file)
    return [f'{name} is defined in {" and in ".join(files)}' for name, files in sorted(where.items()) if len(files) > 1] + \
        [f'{name} in {" ".join(where[name])}: say whose it is' for name in sorted(BARE & set(where))], where


def bare_functions(sources):
    pattern = re.compile(r'^(?:\w+ )*static\s[^\n;=(]*?\b(%s)\(' % '|'.join(BARE_EVERYWHERE), re.M)
    return [f'{name} in {file}: say whose it is' for file, text in sorted(sources.items())
        for name in pattern.findall(without_attributes(text))]


everything = {}
for file in glob.glob('src/**/*.[ch]', recursive=True):
    with open(file, encoding='utf-8') as opened:
        everything[file] = opened.read()
sources = {file: text for file, text in everything.items() if re.fullmatch('src/shim/[^/]*/[^/]*', file)}
found, where = offences(sources)
found += bare_functions(everything)
if found:
    sys.exit('\n'.join(found))
# Of each kind one that must have been read.
for name in ('drain_ring', 'stamp_raw', 'census_calls', 'due_function', 'missed_inherited', 'ring_begin', 'LOG_END_BYTES',
        'thread_ring', 'POLLED_CLIENTS'):
    if len(where[name]) != 1:
        sys.exit(f'{name}: {where[name]}, not one file')
if len(everything) < 400 or len(sources) < 70 or len(where) < 500:
    sys.exit('nothing was read')

for added, complaint in (
        ('static struct vm_calls census_calls;', 'census_calls is defined'),
        ('static _Atomic int census_calls = 3, other;', 'census_calls is defined'),
        ('static void (*_Atomic due_function)(void *context);', 'due_function is defined'),
        ('static const struct x missed_inherited[2] = {{.a = 1}, {0}};', 'missed_inherited is defined'),
        ('static __thread int a, *thread_ring;', 'thread_ring is defined'),
        ('__attribute__((noinline)) static bool *drain_ring(int (*a)(int))\n{\n\tif (a) {\n\t}\n}\n', 'drain_ring is defined'),
        ('static __attribute__((noinline, section("x"))) bool drain_ring(void)\n{\n}\n', 'drain_ring is defined'),
        ('enum {\n\tA = 1 << (2 + 3), /* , */\n\tLOG_END_BYTES\n};', 'LOG_END_BYTES is defined'),
        ('static bool find(void)\n{\n\treturn true;\n}\n', 'find in new.c'),
        ('/* static int drain_ring; */ int f(int drain_ring)\n{\n\tstatic int census_calls;\n}\n', None)):
    found, _ = offences({**sources, 'new.c': added})
    if bool(found) != bool(complaint) or (complaint and not any(complaint in line for line in found)):
        sys.exit(f'with {added!r}: {found}, not {complaint}')

for added, complaint in (
        ('static const struct heard *find(const struct heard *heard)\n{\n}\n', 'find in src/d/new.c'),
        ('static void add(\n\tstruct heard *heard, int number)\n{\n}\n', 'add in src/d/new.c'),
        ('static __attribute__((noinline)) bool grow(void)\n{\n}\n', 'grow in src/d/new.c'),
        ('__attribute__((noinline)) static bool take(void)\n{\n}\n', 'take in src/d/new.c'),
        ('static bool heard_find(bool (*add)(void))\n{\n\treturn add(find(1));\n}\n', None)):
    found = bare_functions({**everything, 'src/d/new.c': added})
    if bool(found) != bool(complaint) or (complaint and not any(complaint in line for line in found)):
        sys.exit(f'with {added!r}: {found}, not {complaint}')
PYTHON
