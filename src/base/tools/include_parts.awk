# Prints a bundled script with the parts that it includes, each in place of its line
# '#include "FILE"': FILE is relative to the script. A build tool.
#     awk -f include_parts.awk SCRIPT.d
/^#include "/ {
	folder = FILENAME
	sub(/[^\/]*$/, "", folder)
	split($0, words, "\"")
	part = folder words[2]
	while ((result = (getline line < part)) > 0) print line
	if (result < 0) {
		print FILENAME ": there is no " part > "/dev/stderr"
		exit 1
	}
	close(part)
	next
}
{ print }
