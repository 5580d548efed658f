#!/bin/bash
# Each file under src includes only what the table in src/README.md allows its folder, and no two
# files and no two structs, unions or enums under src and include have the same name. The check
# itself is checked on a copy with one offence of each kind.
set -eu
exec python3 - "$TMPDIR" <<'PYTHON'
import collections
import os
import re
import shutil
import sys


def files(root):
    for top in ('src', 'include'):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), root)


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return file.read()


def table(root):
    """The rows of the table: {folder: what it may include}."""
    rows = {}
    for line in read(root, 'src/README.md').splitlines():
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if len(cells) >= 2 and re.fullmatch('`[a-z]+`', cells[0]):
            rows[cells[0].strip('`')] = set(re.findall('`([^`]+)`', cells[1]))
    return rows


def offences(root):
    found = []
    rows = table(root)
    names = collections.defaultdict(list)
    tags = collections.defaultdict(list)
    folders = set()
    for name in sorted(files(root)):
        names[os.path.basename(name)].append(name)
        if not name.endswith(('.c', '.h')):
            continue
        text = re.sub(r'/\*.*?\*/', ' ', read(root, name), flags=re.S)
        for tag in re.findall(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', text):
            tags[tag].append(name)
        parts = name.split('/')
        if parts[0] != 'src' or len(parts) < 3:
            continue
        folder = parts[1]
        folders.add(folder)
        for mark, included in re.findall(r'^[ \t]*#[ \t]*include\s*(["<])([^">]+)[">]', text, re.M):
            owner = included.split('/')[0]
            if mark == '<' and not owner.startswith('vmtap') and owner not in rows:
                continue  # the system's
            if owner != folder and owner not in rows.get(folder, set()):
                found.append(f'{name} includes {included}: {folder} may not include {owner}')
    for folder in sorted(folders ^ set(rows)):
        found.append(f'{folder}: a folder without a row in src/README.md, or the reverse')
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
if len(table('.')) < 10 or len(list(files('.'))) < 200:
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
        ('src/new/new.c', 'int x;\n', 'new: a folder without a row'),
        ('src/cli/log/text.c', 'int x;\n', 'more than one file text.c'),
        ('src/usdt/elf/site.c', 'struct engine\n{\n\tint x;\n};\n', 'union or enum engine'),
        ('src/README.md', '| `gone` | `base` | |\n', 'gone: a folder without a row'),
        ('src/README.md', '| `wire` | `bases` | |\n', 'wire may include bases'),
        ('src/base/text.c', '/* struct engine { */\n#include <time.h>\n', None)):
    take_back = offend(copy, name, text)
    found = offences(copy)
    take_back()
    if (complaint is None and found) or (complaint and not any(complaint in line for line in found)):
        sys.exit(f'{name} with {text!r}: {found}, not {complaint}')
PYTHON
