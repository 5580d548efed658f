#!/bin/bash
# Each file under src includes only what the tables in src/README.md allow its folder, and its room
# if the folder's rooms have an order; and no two files and no two structs, unions or enums under src
# and include have the same name. No C file under src has more than 820 lines: one that has holds
# two concepts. The check itself is checked on a copy with one offence of each kind.
set -eu
exec python3 - "$TMPDIR" <<'PYTHON'
import collections
import os
import re
import shutil
import sys

LINES_MAX = 820


def files(root):
    for top in ('src', 'include'):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), root)


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return file.read()


def table(root):
    """The rows of the table: {folder: what it may include}, and {folder: what it may not}."""
    rows, excluded = {}, {}
    for line in read(root, 'src/README.md').splitlines():
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if len(cells) >= 2 and re.fullmatch('`[a-z]+`', cells[0]):
            rows[cells[0].strip('`')] = set(re.findall('`([^`]+)`', cells[1]))
            for text in re.findall('not `([^`]+)`', cells[2] if len(cells) > 2 else ''):
                excluded.setdefault(cells[0].strip('`'), set()).add(text)
    return rows, excluded


def room_table(root):
    """The rows of the table of rooms, in its order: {folder/room: the rooms it may include}."""
    rows = {}
    for line in read(root, 'src/README.md').splitlines():
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if len(cells) >= 2 and re.fullmatch('`[a-z]+/[a-z]+`', cells[0]):
            rows[cells[0].strip('`')] = set(re.findall('`([^`]+)`', cells[1]))
    return rows


def room_offences(rooms, used):
    """What is wrong with the table of rooms itself."""
    found = []
    ordered = {room.split('/')[0] for room in rooms}
    for room in sorted(used ^ set(rooms)):
        if room.split('/')[0] in ordered:
            found.append(f'{room}: a room without a row in src/README.md, or the reverse')
    names = list(rooms)
    for room, allowed in rooms.items():
        for other in sorted(allowed - set(names[:names.index(room)])):
            found.append(f'{room} may include {other}, which is not further up')
    return found


def offences(root):
    found = []
    rows, excluded = table(root)
    rooms = room_table(root)
    used = set()
    names = collections.defaultdict(list)
    tags = collections.defaultdict(list)
    folders = set()
    for name in sorted(files(root)):
        if os.path.basename(name) != 'README.md':
            names[os.path.basename(name)].append(name)
        if not name.endswith(('.c', '.h')):
            continue
        text = read(root, name)
        if name.startswith('src/') and text.count('\n') > LINES_MAX:
            found.append(f'{name} has more than {LINES_MAX} lines: it holds two concepts')
        text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
        for tag in re.findall(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', text):
            tags[tag].append(name)
        parts = name.split('/')
        if parts[0] != 'src' or len(parts) < 3:
            continue
        folder = parts[1]
        folders.add(folder)
        room = '/'.join(parts[1:3]) if len(parts) > 3 else folder
        used.add(room)
        for mark, included in re.findall(r'^[ \t]*#[ \t]*include\s*(["<])([^">]+)[">]', text, re.M):
            owner = included.split('/')[0]
            if mark == '<' and not owner.startswith('vmtap') and owner not in rows:
                continue  # the system's
            if included in excluded.get(folder, set()):
                found.append(f'{name} includes {included}: {folder} may not include it')
            if owner != folder and owner not in rows.get(folder, set()):
                found.append(f'{name} includes {included}: {folder} may not include {owner}')
            other = '/'.join(included.split('/')[:2])
            if room in rooms and owner == folder and other not in rooms[room] | {room}:
                found.append(f'{name} includes {included}: {room} may not include {other}')
    for folder in sorted(folders ^ set(rows)):
        found.append(f'{folder}: a folder without a row in src/README.md, or the reverse')
    found += room_offences(rooms, used)
    for folder, allowed in rows.items():
        for name in sorted(allowed - set(rows)):
            if '.' not in name:
                found.append(f'{folder} may include {name}, which is no folder')
    for what, places in (('file', names), ('struct, union or enum', tags)):
        for name, where in places.items():
            if len(where) > 1:
                found.append(f'more than one {what} {name}: {" ".join(where)}')
    return found


def offend(root, name, text):
    """Adds the text to the file; the function that it returns takes it back."""
    path = os.path.join(root, name)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        undo = lambda: shutil.rmtree(folder)
    elif not os.path.exists(path):
        undo = lambda: os.remove(path)
    else:
        size = os.path.getsize(path)
        undo = lambda: os.truncate(path, size)
    with open(path, 'a', encoding='utf-8') as file:
        file.write(text)
    return undo


found = offences('.')
if found:
    sys.exit('\n'.join(found))
if len(table('.')[0]) < 10 or len(room_table('.')) < 7 or len(list(files('.'))) < 200:
    sys.exit('nothing was read')

copy = os.path.join(sys.argv[1], 'copy')
for top in ('src', 'include'):
    shutil.copytree(top, os.path.join(copy, top))
for name, text, complaint in (
        ('src/engine/engine.c', '#include "usdt/elf/site.h"\n', 'engine may not include usdt'),
        ('src/base/text.c', '\n  #  include "cli/cli.h"\n', 'base may not include cli'),
        ('src/base/text.c', '#include <engine/engine.h>\n', 'base may not include engine'),
        ('src/engine/engine.c', '#include<vmtap.h>\n', 'engine may not include vmtap.h'),
        ('src/engine/engine.c', '#include "../d/lex.h"\n', 'engine may not include ..'),
        ('src/cli/trace/run.c', '#include "shim/core/ring.h"\n', 'cli may not include shim'),
        ('src/cli/record/record.c', '#include "source/connection.h"\n', 'cli may not include it'),
        ('src/cli/record/record.c', '#include "kernel/bpf/bpf.h"\n', 'cli may not include kernel'),
        ('src/kernel/capture/plan.c', '#include "kernel/reduce/reduce.h"\n',
            'kernel/capture may not include kernel/reduce'),
        ('src/kernel/bpf/bpf.h', '#include "kernel/site/nop.h"\n',
            'kernel/bpf may not include kernel/site'),
        ('src/kernel/watch/hold.c', '#include <kernel/process/attach.h>\n',
            'kernel/watch may not include kernel/process'),
        ('src/kernel/cellar/dark.c', 'int x;\n', 'kernel/cellar: a room without a row'),
        ('src/kernel/stray.c', 'int x;\n', 'kernel: a room without a row'),
        ('src/README.md', '| `kernel/attic` | | |\n', 'kernel/attic: a room without a row'),
        ('src/README.md', '| `kernel/bpf` | `kernel/site` | |\n',
            'kernel/bpf may include kernel/site, which is not further up'),
        ('src/new/new.c', 'int x;\n', 'new: a folder without a row'),
        ('src/cli/log/text.c', 'int x;\n', 'more than one file text.c'),
        ('src/usdt/elf/site.c', 'struct engine\n{\n\tint x;\n};\n', 'union or enum engine'),
        ('src/base/text.c', '\n' * LINES_MAX, 'src/base/text.c has more than'),
        ('src/README.md', '| `gone` | `base` | |\n', 'gone: a folder without a row'),
        ('src/README.md', '| `wire` | `bases` | |\n', 'wire may include bases'),
        ('src/base/text.c', '/* struct engine { */\n#include <time.h>\n', None)):
    take_back = offend(copy, name, text)
    found = offences(copy)
    take_back()
    if (complaint is None and found) or (complaint and not any(complaint in line for line in found)):
        sys.exit(f'{name} with {text!r}: {found}, not {complaint}')
PYTHON
