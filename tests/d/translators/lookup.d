/*
 * The translator is looked up by the exact type of the value, then by what its typedef stands
 * for, then by any type that the value can be passed as.
 * @options -q
 */
typedef int number_t;
typedef int other_t;
struct out {
	string from;
};

translator struct out < int n > {
	from = "int";
};
translator struct out < number_t n > {
	from = "number_t";
};
translator struct out < string s > {
	from = strjoin("string ", s);
};

BEGIN
{
	printf("%s\n", xlate <struct out> ((number_t)i).from);
	printf("%s\n", xlate <struct out> ((long)3).from);
	printf("%s\n", xlate <struct out> ("x").from);
	exit(0);
}

int i;
