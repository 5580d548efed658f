#!/bin/bash
# Scripts that are meant to do harm: deeply nested, huge, endlessly repetitive, or not scripts
# at all. Each runs, or ends with one clear line, in bounded time and memory.
# limit: 900
set -u
. tests/e2e/common

cat >"$directory/make.py" <<'PYTHON'
import random, sys
deep, many, mega = 100000, 100000, 1 << 20
random.seed(7)
body = lambda text: 'BEGIN { ' + text + ' exit(0); }\n'
every = lambda text, count, between=' ': between.join(text % i for i in range(count))
around = lambda left, middle, right: left * deep + middle + right * deep
bombs = {
    # nesting
    'parentheses': lambda: body('x = ' + around('(', '1', ')') + ';'),
    'operators': lambda: body('x = ' + '-~!' * deep + '1;'),
    'casts': lambda: body('x = ' + '(int)' * deep + '1;'),
    'sizeofs': lambda: body('x = ' + 'sizeof ' * deep + '1;'),
    'conditions': lambda: body('y = 1; x = ' + 'y ? 2 : ' * deep + '3;'),
    'middles': lambda: body('y = 1; x = ' + around('y ? ', '1', ' : 2') + ';'),
    'assignments': lambda: body('x = ' * deep + '1;'),
    'indices': lambda: body('x = ' + around('a[', '1', ']') + ';'),
    'calls': lambda: body('x = ' + around('strlen(', '"a"', ')') + ';'),
    'sums': lambda: body('y = 1; x = y' + ' + y' * mega + '; printf("%d\\n", x);'),
    'constants': lambda: body('x = 1' + ' + 1' * deep + '; printf("%d\\n", x);'),
    'conjunctions': lambda: body('y = 1; x = y' + ' && y' * mega + '; printf("%d\\n", x);'),
    'commas': lambda: body('y = 1; x = (y' + ', y++' * mega + '); printf("%d\\n", x);'),
    'precedences': lambda: body('y = 3; z = 1; ' + ' '.join(
        'x%d = y%s; printf("%%d ", x%d);' % (i, (' %s z' % operator) * 20000, i)
        for i, operator in enumerate('* / % + - << >> < <= > >= == != & ^ | && ^^ ||'.split()))),
    'rests': lambda: body('x = "text"' + ' + 1 - 1' * many + ' + 2; printf("%s\\n", x);'),
    'moves': lambda: 'int a[3];' + body('a[2] = 7; y = 1; x = *(a' + ' + y - y' * many
        + ' + 2); printf("%d\\n", x);'),
    'chain_of_inline': lambda: 'int y; inline int i = y' + ' - 1 + y' * many + ';'
        + body('y = 1; x = i; printf("%d\\n", x);'),
    'condition': lambda: 'BEGIN / y == 0' + ' && y == 0' * many + ' / { exit(0); } int y;',
    'chain_of_sizeof': lambda: body('x = 1; printf("%d\\n", sizeof(x' + ' + x' * mega + '));'),
    'levels': lambda: body('y = 1; x = y' + ' + (y * y' * 100 + ')' * 100 + '; printf("%d\\n", x);'),
    'elements': lambda: body('y = 1; x = a' + '[1]' * deep + ';'),
    'arrows': lambda: body('x = self' + '->a' * deep + ';'),
    'suffixes': lambda: body('x = y' + '++' * deep + ';'),
    'translations': lambda: 'struct s { int a; }; translator struct s < int I > { a = I; };'
        + body('x = ' + around('xlate<struct s>(', '1', ').a') + ';'),
    'predicate': lambda: 'BEGIN / ' + around('(', '1', ')') + ' / { exit(0); }',
    'pointers': lambda: 'int ' + '*' * deep + 'p;',
    'declarators': lambda: 'int ' + around('(', 'p', ')') + ';',
    'dimensions': lambda: 'int p' + '[1]' * deep + ';',
    'functions': lambda: 'int p(' + around('int (', '', ')') + ');',
    'structs': lambda: around('struct { ', 'int a;', ' } b;'),
    'inlines': lambda: 'int i0;' + ''.join('inline int i%d = i%d + i%d;' % (i, i - 1, i - 1)
        for i in range(1, 200)) + body('x = i199;'),
    'brackets': lambda: 'BEGIN { x = a' + '[' * deep,
    'braces': lambda: 'BEGIN ' + '{' * deep,
    # size and number
    'script': lambda: 'BEGIN { x = 0; }\n' + 'BEGIN { x += 1; }\n' * (10 * mega // 18)
        + body('printf("%d\\n", x);'),
    'comment': lambda: '/*' + 'x' * 10 * mega + '*/' + body(''),
    'lines': lambda: '\n' * 10 * mega + body(''),
    'clauses': lambda: every('BEGIN { v%d = 1; n++; }', 10000, '\n') + body('printf("%d\\n", n);'),
    'line': lambda: body('x = 1; ' * (mega // 7)),
    'name': lambda: body('x' * mega + ' = 1;'),
    'string': lambda: body('x = "' + 'x' * mega + '"; printf("%d\\n", strlen(x));'),
    'digits': lambda: body('x = ' + '1' * mega + ';'),
    'strings': lambda: body(every('x = "string %d";', many) + ' printf("%s\\n", x);'),
    'keys': lambda: body('a[' + every('%d', 1000, ', ') + '] = 1;'),
    'aggregation': lambda: body('@[' + every('"%d"', 1000, ', ') + '] = count();'),
    'declared': lambda: 'int a[' + ', '.join(['int'] * 1000) + '];',
    'descriptions': lambda: ', '.join(['BEGIN'] * many) + ' { exit(0); }',
    'ticks': lambda: every('tick-1%05ds { x++; }', 50000, '\n') + body(''),
    'pragmas': lambda: every('#pragma D attributes Stable/Stable/Common v%d', many, '\n') + '\n'
        + every('int v%d;', many) + body(''),
    'variables': lambda: body(every('self->v%d = 1;', many)),
    'enumerators': lambda: 'enum e { ' + every('A%d', many, ', ') + ' };'
        + body('printf("%d\\n", A99999);'),
    'members': lambda: 'struct s { ' + every('int m%d;', many) + ' };',
    'parameters': lambda: 'int f(' + every('int p%d', many, ', ') + ');',
    'probes': lambda: 'provider p { ' + every('probe p%d(int);', many) + ' };',
    'providers': lambda: every('provider p%dx { };', many),
    'translators': lambda: 'struct s { int a; };' + ' '.join(
        'struct i%d { int a; }; translator struct s < struct i%d *I > { a = 1; };' % (i, i)
        for i in range(20000)),
    'arguments': lambda: body('trace(strlen(' + ', '.join(['1'] * many) + '));'),
    'conversions': lambda: body('printf("' + '%d' * 10000 + '"' + ', 1' * 10000 + ');'),
    'globs': lambda: ':'.join(['*a' * 5000] * 4) + ' { exit(0); }',
    # no scripts
    'garbage': lambda: bytes(random.randrange(256) for _ in range(mega)),
    'zeroes': lambda: bytes(mega),
    'ones': lambda: b'\xff' * mega,
    'escapes': lambda: b'\x1b[2J\x1b[31m',
    'program': lambda: open(sys.argv[2], 'rb').read(8 << 20),
}
bomb = bombs[sys.argv[1]]()
sys.stdout.buffer.write(bomb if isinstance(bomb, bytes) else bomb.encode())
PYTHON

# The CPU time allows for slow machines and sanitizers; unbounded work would take minutes or more.
bomb() { # name, exit status, standard output, pattern of the message
	local name=$1 wanted=$2 output=$3 message=$4 status lines
	python3 "$directory/make.py" "$name" "$VMTAP" >"$directory/$name.d" || fail "$name: not made"
	(
		[ "${VMTAP_SANITIZED:-0}" = 1 ] || ulimit -v 2000000
		ulimit -t 60
		exec timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -s "$directory/$name.d"
	) >"$directory/out" 2>"$directory/err" </dev/null
	status=$?
	rm "$directory/$name.d"
	# A test that runs beside this one may have VMs that do not answer, or send nonsense.
	sed -i '/^vmtap: process [0-9]* /d' "$directory/err"
	[ "$status" = "$wanted" ] || fail "$name: exit status $status, expected $wanted"
	[ "$(cat "$directory/out")" = "$output" ] || fail "$name: standard output"
	lines=$(wc -l <"$directory/err")
	if [ -z "$message" ]; then
		[ "$lines" = 0 ] || fail "$name: a message"
		return
	fi
	[ "$lines" = 1 ] || fail "$name: $lines lines, expected 1"
	[ "$(wc -c <"$directory/err")" -lt 1000 ] || fail "$name: a long message"
	grep -qaP '[\x00-\x09\x0b-\x1f\x7f]' "$directory/err" && fail "$name: control characters"
	has err "failed to compile script .*: line 1: .*$message"
}

for name in parentheses operators casts sizeofs conditions middles assignments indices calls \
	translations predicate; do
	bomb "$name" 1 '' 'expression is nested too deeply, column'
done
# Operators side by side are no nesting.
bomb sums 0 1048577 ''
bomb conjunctions 0 1 ''
bomb commas 0 1048576 ''
bomb rests 0 xt ''
bomb moves 0 7 ''
bomb chain_of_inline 0 1 ''
bomb condition 0 '' ''
bomb chain_of_sizeof 0 4 ''
bomb precedences 0 '3 3 0 20003 -19997 0 0 1 1 0 1 0 0 1 3 3 1 1 1 ' ''
bomb levels 0 101 ''
for name in arrows suffixes elements; do
	bomb "$name" 1 '' 'expression has more than 1000 levels of operators, column'
done
for name in declarators functions structs; do
	bomb "$name" 1 '' 'declaration is nested too deeply, column'
done
for name in pointers dimensions; do
	bomb "$name" 1 '' 'declaration has more than 64 pointers, arrays and functions in one'
done
bomb constants 0 100001 ''
bomb inlines 1 '' 'inlines of the script become more than 1048576 operations'
bomb brackets 1 '' 'syntax error near "\["'
bomb braces 1 '' 'syntax error near "\{"'

bomb script 0 582542 ''
bomb clauses 0 10000 ''
bomb strings 0 'string 99999' ''
bomb string 0 256 ''
bomb enumerators 0 99999 ''
for name in comment lines line name descriptions ticks pragmas variables; do
	bomb "$name" 0 '' ''
done
for name in keys aggregation declared; do
	bomb "$name" 1 '' 'Insufficient tuple registers to generate code \(at most 32 keys\)'
done
bomb digits 1 '' 'integer constant 1+\.\.\. cannot be represented in any built-in integral type'
bomb members 1 '' 'struct s has more than 4096 members'
bomb parameters 1 '' 'function has more than 4096 parameters'
bomb probes 1 '' 'provider p has more than 4096 probes'
bomb providers 1 '' 'more than 4096 providers'
bomb translators 1 '' 'more than 4096 translators'
bomb arguments 1 '' 'strlen\( \) prototype mismatch: 100000 args passed, 1 expected'
bomb conversions 1 '' 'printf\( \) has more than 64 arguments'
bomb globs 1 '' 'does not match any probes'

for name in garbage zeroes ones escapes program; do
	bomb "$name" 1 '' 'syntax error near'
done
exit 0
