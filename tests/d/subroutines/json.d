/* json: a value by its path; strings without quotes, everything else as its text. */
#pragma D option quiet

BEGIN
{
	this->document = "{ \"name\": \"toy\", \"pid\": 42, \"load\": -1.5e+3, \"up\": true,\n";

	this->document = strjoin(this->document,
	    "\"args\": [ \"-q\", { \"x\": null }, [7, 8] ], \"a\\\"b\": \"c\\\"d\" }");
	printf("%s %s %s %s\n", json(this->document, "name"), json(this->document, "pid"),
	    json(this->document, "load"), json(this->document, "up"));
	printf("%s|%s|%s|%s\n", json(this->document, "args[0]"),
	    json(this->document, "args[1].x"), json(this->document, "args[2][1]"),
	    json(this->document, "args[2]"));
	printf("%s|%s\n", json(this->document, "args"), json(this->document, "a\\\"b"));
	printf("%s %s\n", json("[10, 20, 30]", "[1]"), json("[[1], {\"k\": [5]}]", "[1].k[0]"));
	printf("%s|%s\n", json("{}", "x") == NULL ? "NULL" : "found",
	    json("{\"x\": \"\"}", "x"));
}

/* Missing, malformed, or inside a value that has no parts. */
BEGIN
{
	printf("%d%d%d%d", json(this->document, "nosuch") == NULL,
	    json(this->document, "name.x") == NULL, json(this->document, "args[3]") == NULL,
	    json(this->document, "args.x") == NULL);
	printf("%d%d%d%d", json("{\"x\": }", "x") == NULL, json("{\"x\": 1", "y") == NULL,
	    json("", "x") == NULL, json("[]", "[0]") == NULL);
	printf("%d%d%d%d\n", json("{\"x\": 1}", "") == NULL, json("[1]", "[x]") == NULL,
	    json("{\"x\": [1}", "x") == NULL, json("{\"x\" 1}", "x") == NULL);
	exit(0);
}
