/*
 * json: a part of a path is a name in an object and a number in an array, with or without
 * brackets; nothing is found after something on the way that is not JSON.
 */
#pragma D option quiet

BEGIN
{
	this->list = "[ 3, {\"k\": [5, 6], \"7\": true}, \"x\" ]";
	printf("%s %s %s", json(this->list, "0"), json(this->list, "2"),
	    json(this->list, "1.k.1"));
	printf(" %s %s %s\n", json(this->list, "[1].k.0"), json(this->list, "1.7"),
	    json(this->list, "[1].k[1]"));
	printf("%d%d%d%d", json(this->list, "3") == NULL, json(this->list, "-1") == NULL,
	    json(this->list, "1.0") == NULL, json(this->list, "0.0") == NULL);
	printf("%d%d%d%d\n", json(this->list, "1.") == NULL, json(this->list, "[1") == NULL,
	    json(this->list, "[1][k]") == NULL, json(this->list, "4294967297") == NULL);
}

BEGIN
{
	this->escapes = "[\"\\u00eF \\/ \\\"\", \"bad \\u00g0\", \"lost\"]";
	printf("%s", json(this->escapes, "0"));
	printf(" %d%d", json(this->escapes, "1") == NULL, json(this->escapes, "2") == NULL);
	printf("%d%d", json("[\"\\q\"]", "0") == NULL, json("[\"\\u12", "0") == NULL);
	printf("%d%d%d\n", json("[0x10]", "0") == NULL, json("[trues]", "0") == NULL,
	    json("{\"a\": 1.5.2}", "a") == NULL);
	exit(0);
}
