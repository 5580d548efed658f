# Writes vmtap-scripts(7): the page given first, with the scripts' headers, in the order of their
# questions, in place of the line "@scripts@". A build tool.
#     awk -f scripts_manual.awk PAGE SCRIPT.d...
function plain(text) { # text of a manual: no line is a request, and no backslash an escape
	gsub(/\\/, "\\e", text)
	sub(/^[.']/, "\\\\\\&&", text)
	return text
}
function sentences(text,    lines, count, i, cut, result) { # begins each on a new line, and breaks lines after 80
	gsub(/\. /, ".\n", text)
	sub(/\n$/, "", text)
	count = split(text, lines, "\n")
	for (i = 1; i <= count; i++) {
		while (length(lines[i]) > 80 && match(substr(lines[i], 1, 81), /^.* /)) {
			cut = RLENGTH
			result = result substr(lines[i], 1, cut - 1) "\n"
			lines[i] = substr(lines[i], cut + 1)
		}
		result = result lines[i] "\n"
	}
	return result
}
function name_of(file) {
	sub(/.*\//, "", file)
	sub(/\.d$/, "", file)
	return file
}
function add(part, text) {
	body[script, part] = body[script, part] plain(text) "\n"
}
NR == FNR {
	page[++lines] = $0
	if ($0 ~ /^\.\\" question: /) {
		question = $0
		sub(/^\.\\" question: /, "", question)
		order[++questions] = question
	}
	next
}
FNR == 1 {
	script = name_of(FILENAME)
	part = "summary"
	scripts[++count] = script
	next
}
part == "" { next }
/^ \*\/$/ { part = ""; next }
{
	text = substr($0, 4)
	if (text ~ /^Question: /) {
		part = "question"
		asked[script] = substr(text, 11)
		next
	}
	if (text ~ /^    /) { part = "example"; add(part, substr(text, 5)); next }
	if (part == "example" && text == "") { add(part, ""); next }
	if (text == "") next
	if (text ~ /^Reading: /) { part = "reading"; text = substr(text, 10) }
	if (text ~ /^Providers: /) { part = "providers"; text = substr(text, 12) }
	if (text ~ /^Cost: /) { part = "cost"; text = substr(text, 7) }
	if (part == "summary") {
		sub(/^[a-z_]*\.d: /, "", text)
	}
	add(part, text)
}
END {
	for (i = 1; i <= lines; i++) {
		if (page[i] != "@scripts@") {
			if (page[i] !~ /^\.\\" question: /) print page[i]
			continue
		}
		for (q = 1; q <= questions; q++) {
			printf ".Sh %s\\&\n", toupper(order[q])
			for (s = 1; s <= count; s++) {
				script = scripts[s]
				if (asked[script] != order[q]) continue
				printf ".Ss %s: %s", script, body[script, "summary"]
				example = body[script, "example"]
				sub(/\n+$/, "\n", example)
				printf ".Bd -literal -offset indent\n%s.Ed\n.Pp\n", example
				printf "%s.Pp\n%s", sentences(body[script, "reading"]),
					sentences("Providers: " body[script, "providers"])
				printf ".Pp\n%s", sentences("Cost: " body[script, "cost"])
			}
		}
	}
}
