#!/bin/bash
# Text of the traced program in system() and freopen(): wherever a script inserts it, no command of the
# program's runs, no command takes it for an option, and no other file is opened.
# tests: src/engine/subroutine/shell_word.c
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
cat >"$directory/texts.py" <<'P'
"""Every text as the D strings of a log's events."""
import sys
gone = sys.argv[1].encode() + b"/gone"
touch = b"touch " + gone
texts = [b";" + touch, b"\n" + touch, b"'; " + touch + b"; '", b'"; ' + touch + b'; "', b"$(" + touch + b")",
    b"`" + touch + b"`", b"\\'; " + touch + b"; '", b"\\", b"'", b"x\\", b"\xff'\xfe;" + touch, b"|" + touch, b">" + gone,
    b"\r" + touch, b"x\n" + touch + b"\n#", b"EOF\n" + touch, b"\\x27;" + touch + b";\\x27"]
escapes = {b"\\": b"\\\\", b'"': b'\\"', b"\n": b"\\n"}
write = sys.stdout.buffer.write
write(b"block 0\n")
for i, text in enumerate(texts):
    bytes_ = [text[j:j + 1] for j in range(len(text))]
    write(b'%d user-msg "%s"\n' % (3000 + i, b"".join(escapes.get(byte, byte) for byte in bytes_)))
write(b"end\n")
P
python3 "$directory/texts.py" "$directory" >"$directory/events"
make_log "$directory/events"
cat >"$directory/commands" <<'LINES'
echo %s
echo %'s
echo x%'s
echo '%'s'
echo '%s'
echo "%'s"
echo "%s"
echo # %'s
echo `echo %'s`
echo $(echo %'s)
echo "$(echo %'s)"
cat <<EOF\n%'s\nEOF
echo \%'s
echo $%'s
echo %-40.7s
echo %'40.7s
echo %S
echo %'S
echo \\%'s
echo %'s%'s
LINES
escaped() { # a line of the shell as the inside of a string of D
	sed 's/\\\([^n]\)/\\\\\1/g; s/"/\\"/g' <<<"$1"
}
while IFS= read -r line; do
	arguments='copyinstr(arg1)'
	[[ $line = *%*%* ]] && arguments="$arguments, $arguments"
	run 0 trace -wqn "vm*:::user-msg { system(\"$(escaped "$line")\", $arguments); }" --log "$directory/log"
	[ ! -e "$directory/gone" ] || fail "a command of the program's was run by: $line"
done <"$directory/commands"
run 0 trace -wqn "vm*:::user-msg { system(\"echo %'s\", copyinstr(arg1)); }" --log "$directory/log"
[ "$(grep -c touch "$directory/out")" = 13 ] || fail "quoted texts"

# a text that names a command, a file or an option
cat >"$directory/events" <<V
block 0
1000 user-msg "-rf"
2000 user-msg "$directory/gone"
end
V
make_log "$directory/events"
printf '#!/bin/sh\ntouch %s/ran\n' "$directory" >"$directory/gone"
chmod +x "$directory/gone"
for line in "%s" "%'s" "true; %s" "true && %'s" " %s" "(%'s)" "echo \`%s\`" "echo \$(%s)" "true\\n%s" ".%s"; do
	run 0 trace -wqn "vm*:::user-msg { system(\"$line\", copyinstr(arg1)); }" --log "$directory/log"
	[ ! -e "$directory/ran" ] || fail "the program named a command: $line"
	has err "'$directory/gone' is text of the traced program: it would name the command"
done
for line in "echo %s" "echo %'s" "echo -%s" "echo a;echo %s" "echo >$directory/x %s"; do
	run 0 trace -wqn "vm*:::user-msg { system(\"$line\", copyinstr(arg1)); }" --log "$directory/log"
	has err "system\(\): '-rf' is text of the traced program: the command would take it for an option"
done
run 0 trace -wqn 'vm*:::user-msg { system("echo a -- %s x%s", copyinstr(arg1), copyinstr(arg1)); }' --log "$directory/log"
has out '^a -- -rf x-rf$'
rm "$directory/gone"
run 0 trace -wqn 'vm*:::user-msg /arg0 >= 0 && copyinstr(arg1) != "-rf"/ { freopen("%s", copyinstr(arg1)); }' --log "$directory/log"
[ ! -e "$directory/gone" ] || fail "the program named a file"
has err "freopen\(\): '$directory/gone' is text of the traced program: it names another directory"

# strings of the script's own may be anything
run 0 trace -wqn 'BEGIN { system("%s %s", "echo a; echo", $$1); exit(0); }' "b;echo c"
[ "$(xargs <"$directory/out")" = "a b c" ] || fail "strings of the script's"
