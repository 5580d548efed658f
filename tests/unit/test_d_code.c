/*
 * test_d_code.c: what scripts compile to. Each row is a program and lines of its listing that
 * must appear in this order, directly after each other where "\n" joins them.
 */
#include "d_fixture.h"

#include "base/pattern.h"
#include "unit_main.h"

struct row {
	const char *text;
	const char *fragments[4]; /* in this order */
};

static const struct row rows[] = {
	/* literals and their types */
	{"BEGIN { x = 2147483647; }", {"variable 0 int32 x", "integer r0 2147483647\n"}},
	{"BEGIN { x = 2147483648; }", {"variable 0 int64 x", "constant r0 2147483648\n"}},
	{"BEGIN { x = 0xffffffff; }", {"variable 0 uint32 x", "constant r0 4294967295\n"}},
	{"BEGIN { x = 017u; }", {"variable 0 uint32 x", "integer r0 15\n"}},
	{"BEGIN { x = 1l; y = 1ull; }", {"variable 0 int64 x", "variable 1 uint64 y"}},
	{"BEGIN { x = 'ab'; y = 'abcde'; }",
		{"variable 0 int32 x", "variable 1 int64 y", "integer r0 24930\n"}},
	{"BEGIN { x = '\\xff'; y = '\\''; z = '\\n'; }",
		{"integer r0 255\n", "integer r0 39\n", "integer r0 10\n"}},
	{"BEGIN { x = \"a\\tb\\x41\\101\\q\\\"\"; }",
		{"variable 0 string x", "string r0 \"a\\x09bAA\\\\q\\\"\"\n"}},
	{"BEGIN { x = \"ab\\0cd\"; }", {"string r0 \"ab\"\n"}},
	{"BEGIN { x = NULL; }", {"variable 0 int32 x", "integer r0 0\n"}},
	{"BEGIN { x = $target; y = $$target; }",
		{"variable 0 int32 x", "integer r0 1234\n", "string r0 \"1234\"\n"}},
	/* constants are folded in 64 bits */
	{"BEGIN { x = 1 + 2 * 3 - 4 / 2 % 3; }", {"integer r0 5\n     1  store r0 x"}},
	{"BEGIN { x = -8L >> 1; }", {"constant r0 9223372036854775804\n"}},
	{"BEGIN { x = -1 < 1U; y = -1 < 1; }", {"integer r0 0\n", "integer r0 1\n"}},
	{"BEGIN { x = (char)300; }", {"variable 0 int8 x", "integer r0 44\n"}},
	{"BEGIN { x = 1 ? 2 : nosuch; }", {"integer r0 2\n"}},
	{"BEGIN { x = 0x7fffffff + 1; }",
		{"variable 0 int32 x", "integer r0 -2147483648\n     1  store"}},
	{"BEGIN { x = !5 || 0 ^^ 3 && 1; }", {"integer r0 1\n"}},
	{"BEGIN { x = ~0 & 0xf | 0x30 ^ 1 << 4; }", {"integer r0 47\n"}},
	{"BEGIN { x = sizeof(int) + sizeof(\"abc\") + sizeof 'a'; }",
		{"variable 0 uint64 x", "integer r0 12\n"}},
	{"BEGIN { x = sizeof(string); y = sizeof(execname); }",
		{"integer r0 256\n", "integer r0 256\n"}},
	{"BEGIN { x = (char)1; y = sizeof(x + x); z = sizeof (x + 1); }",
		{"integer r0 1\n     3  store r0 y", "integer r0 4\n"}},
	{"inline int A = 5; inline string S = \"s\"; BEGIN { x = A + 1; y = S; }",
		{"integer r0 6\n", "string r0 \"s\"\n"}},
	/* values are truncated when they are stored, not before */
	{"BEGIN { i = 1; j = i + 1; }",
		{"add r0, r0, r1\n     5  cut r0, r0 signed 32\n     6  store r0 j"}},
	{"BEGIN { i = 1; j = i + 1 > 0; }",
		{"add r0, r0, r1\n     5  integer r1 0\n     6  less r0, r1, r0\n     7  store r0 "
		 "j"}},
	{"BEGIN { i = 1; j = (i << 32) >> 32; }",
		{"shift.left r0, r0, r1\n     5  integer r1 32\n     6  shift.right.signed"}},
	{"BEGIN { c = (char)100; printf(\"%d\", c + c); }",
		{"add r0, r0, r1\n     5  cut r0, r0 signed 8\n     6  action r0 printf"}},
	{"BEGIN { c = (char)100; x = (long)(c + c); }", {"add r0, r0, r1\n     5  store r0 x"}},
	{"BEGIN { x = arg0; y = (char)arg0; z = (unsigned char)y; }",
		{"argument r0 0\n     1  store r0 x", "cut r0, r0 signed 8\n     4  store r0 y",
			"cut r0, r0 8\n     7  store r0 z"}},
	{"BEGIN { x = 1; y = (long)x; }", {"load r0 x\n     3  store r0 y"}},
	{"gc-start { x = args[0] + args[3]; }", {"variable 0 uint64 x"}},
	{"gc-start { x = args[0] + args[2]; }", {"variable 0 uint16 x", "cut r0, r0 16"}},
	/* signedness */
	{"BEGIN { x = arg0 / 2; y = timestamp / 2; }",
		{"divide r0, r0, r1", "divide.unsigned r0, r0, r1"}},
	{"BEGIN { x = arg0 % 2; y = timestamp % 2; }",
		{"modulo r0, r0, r1", "modulo.unsigned r0, r0, r1"}},
	{"BEGIN { x = arg0 >> 2; y = timestamp >> 2; }",
		{"shift.right.signed r0", "shift.right r0"}},
	{"BEGIN { x = arg0 < 2; y = timestamp <= 2; }",
		{"less r0, r0, r1", "less.equal.unsigned r0, r0, r1"}},
	{"BEGIN { x = arg0 > 2; y = timestamp >= 2; }",
		{"less r0, r1, r0", "less.equal.unsigned r0, r1, r0"}},
	{"BEGIN { x = pid < timestamp; }", {"less.unsigned"}},
	/* strings */
	{"BEGIN /execname == \"a\"/ { }",
		{"builtin r0 execname\n     1  string r1 \"a\"\n     2  compare r0, r0, r1\n     3 "
		 " integer r1 0\n     4  equal r0, r0, r1\n     5  return r0"}},
	{"BEGIN /execname < \"a\"/ { }",
		{"compare r0, r0, r1\n     3  integer r1 0\n     4  less r0, r0, r1"}},
	{"BEGIN /execname != 0/ { }", {"null r1\n     2  compare r0, r0, r1"}},
	{"method-entry /args[0] == \"a\"/ { }",
		{"argument r0 0\n     1  call r0, r0, 1 stringof\n     2  string r1"}},
	{"method-entry /args[0] == args[1]/ { }",
		{"argument r0 0\n     1  argument r1 1\n     2  equal r0, r0, r1"}},
	{"method-entry /args[0] != NULL/ { }",
		{"argument r0 0\n     1  integer r1 0\n     2  not.equal r0, r0, r1"}},
	{"BEGIN { s = stringof(arg0); t = (string)arg1; u = stringof s; }",
		{"call r0, r0, 1 stringof\n     2  store r0 s",
			"call r0, r0, 1 stringof\n     5  store r0 t",
			"load r0 s\n     7  store r0 u"}},
	{"BEGIN { s = copyinstr(arg0, 5); }",
		{"argument r0 0\n     1  integer r1 5\n     2  call r0, r0, 2 copyinstr"}},
	{"BEGIN { s = strjoin(execname, strjoin(\"a\", probename)); }",
		{"builtin r0 execname\n     1  string r1 \"a\"\n     2  builtin r2 probename\n     "
		 "3  call r1, r1, 2 strjoin\n     4  call r0, r0, 2 strjoin"}},
	{"method-entry { n = strlen(args[0]); }",
		{"variable 0 uint64 n", "call r0, r0, 1 stringof\n     2  call r0, r0, 1 strlen"}},
	{"BEGIN { s = \"a\"; s = 0; }", {"null r0\n     3  store r0 s"}},
	{"BEGIN { s = arg0 ? \"a\" : 0; }",
		{"jump.zero r0 -> 4\n     2  string r0 \"a\"\n     3  jump -> 5\n     4  null r0\n "
		 "    5  store r0 s"}},
	/* conditional evaluation */
	{"BEGIN { x = arg0 && arg1; }",
		{"argument r0 0\n     1  boolean r0, r0\n     2  jump.zero r0 -> 5\n     3  "
		 "argument r0 1\n     4  boolean r0, r0\n     5  store r0 x"}},
	{"BEGIN { x = arg0 == 1 || arg1 == 2; }",
		{"equal r0, r0, r1\n     3  jump.not.zero r0 -> 7\n     4  argument r0 1\n     5  "
		 "integer r1 2\n     6  equal r0, r0, r1\n     7  store"}},
	{"BEGIN { x = arg0 ^^ arg1; }",
		{"argument r0 0\n     1  boolean r0, r0\n     2  argument r1 1\n     3  boolean "
		 "r1, r1\n     4  xor r0, r0, r1"}},
	{"BEGIN { x = (arg0++, 3); }", {NULL}},
	{"BEGIN { x = 1, y = 2; }", {"store r0 x\n     2  integer r0 2\n     3  store r0 y"}},
	/* variables */
	{"BEGIN { self->x = pid; this->y = execname; z = tid; }",
		{"variable 0 int32 self->x", "variable 1 string this->y", "variable 2 int32 z"}},
	{"BEGIN { x++; }",
		{"variable 0 int64 x",
			"load r0 x\n     1  integer r1 1\n     2  add r0, r0, r1\n     3  store r0 "
			"x\n     4  return"}},
	{"BEGIN { y = x++; }",
		{"load r0 x\n     1  integer r2 1\n     2  add r1, r0, r2\n     3  store r1 x\n    "
		 " 4  store r0 y"}},
	{"BEGIN { y = --x; }", {"subtract r0, r0, r1\n     3  store r0 x\n     4  store r0 y"}},
	{"BEGIN { c = (char)1; c += 300; }",
		{"add r0, r0, r1\n     5  cut r0, r0 signed 8\n     6  store r0 c"}},
	{"BEGIN { a[1, execname] = pid; }",
		{"variable 0 int32 a[int32, string]",
			"builtin r0 pid\n     1  integer r1 1\n     2  builtin r2 execname\n     3 "
			" store.element r0, [r1] a"}},
	{"BEGIN { a[\"x\"] += 0; }", {NULL}},
	{"BEGIN { a[\"x\"]++; a[\"x\"] += 2; }",
		{"variable 0 int64 a[string]",
			"string r0 \"x\"\n     6  load.element r1, [r0] a\n     7  integer r2 2\n  "
			"   8  add r1, r1, r2\n     9  store.element r1, [r0] a"}},
	{"BEGIN { y = ++a[1]; }",
		{"store.element r1, [r0] a\n     5  move r0, r1\n     6  store r0 y"}},
	{"BEGIN { a[(char)1] = 1; a[300] = 2; }",
		{"variable 0 int32 a[int8]",
			"integer r0 2\n     4  integer r1 44\n     5  store.element"}},
	{"BEGIN { self->a[1] = 2; self->a[1] = 0; self->b = 1; self->b = 0; x = 0; }",
		{"variable 0 int32 self->a[int32]",
			"integer r0 1\n     4  free.element [r0] self->a", "free self->b",
			"integer r0 0\n     9  store r0 x"}},
	{"BEGIN { x = self->y = 0; }", {"free self->y\n     1  integer r0 0\n     2  store r0 x"}},
	{"BEGIN { self->y = 1; x = self->y = 0; }",
		{"free self->y\n     3  integer r0 0\n     4  store r0 x"}},
	{"int x; string s; self char c; this uint64_t t; int a[string, int]; BEGIN { }",
		{"variable 0 int32 x\nvariable 1 string s\nvariable 2 int8 self->c\nvariable 3 "
		 "uint64 this->t\nvariable 4 int32 a[string, int32]"}},
	{"typedef unsigned short half; self half h; BEGIN { x = (half)70000; }",
		{"variable 0 uint16 self->h", "integer r0 4464\n"}},
	{"char *p; BEGIN { p = (char *)arg0; x = *p; y = p[2]; p++; z = *(p + 1); }",
		{"read r0, r0, 17\n     4  store r0 x",
			"integer r1 2\n     7  add r0, r0, r1\n     8  read r0, r0, 17"}},
	{"int *p; BEGIN { p = (int *)arg0; y = p[2]; p += 3; q = p - p; }",
		{"integer r1 2\n     4  integer r2 4\n     5  multiply r1, r1, r2\n     6  add r0, "
		 "r0, r1\n     7  read r0, r0, 20"}},
	{"BEGIN { x = this->for = 3; }", {"variable 0 int32 this->for"}},
	/* predicates that define what the body uses, and the reverse */
	{"BEGIN /x++ == 0/ { trace(x); }", {"predicate\n     0  load r0 x"}},
	{"BEGIN /x == 0/ { trace(x++); }", {"predicate\n     0  load r0 x"}},
	{"BEGIN /8 / 2 / { }",
		{"predicate\n     0  integer r0 4\n     1  return r0\n    body\n     0  action r0 "
		 "default (0)"}},
	{"BEGIN /x++ / 2/ { }", {"divide"}},
	/* aggregations and actions */
	{"BEGIN { @ = count(); }", {"aggregation 0 count @_\n", "aggregate r0, r0, r0 @_ count"}},
	{"BEGIN { @a[execname, pid] = sum(arg0); }",
		{"aggregation 0 sum @a[string, int32]",
			"builtin r0 execname\n     1  builtin r1 pid\n     2  argument r2 0\n     "
			"3  aggregate r0, r2, r0 @a sum"}},
	{"BEGIN { @a = quantize(arg0); @b = quantize(arg0, 3); }",
		{"argument r0 0\n     1  integer r1 1\n     2  aggregate r0, r0, r1 @a quantize",
			"integer r1 3\n     5  aggregate r0, r0, r1 @b"}},
	{"BEGIN { @a = lquantize(arg0, 0, 100, 10); @b = llquantize(arg0, 10, 0, 3, 10, arg1); }",
		{"lquantize @a", "llquantize @b"}},
	{"BEGIN { @a[(char)1] = count(); @a[300] = count(); }",
		{"aggregation 0 count @a[int8]", "integer r0 44\n     3  aggregate"}},
	{"BEGIN { @a = avg(1); @b = min(1); @c = max(1); @d = stddev(1); }",
		{"avg @a\naggregation 1 min @b\naggregation 2 max @c\naggregation 3 stddev @d"}},
	{"BEGIN { @a[1] = count(); @b[2] = sum(3); printa(@a); printa(\"%d %@d %@u\\n\", @a, @b); "
	 "}",
		{"action r0 printa @a (0)", "printa format 0 @a @b (0)"}},
	{"BEGIN { @a = count(); clear(@a); trunc(@a); trunc(@a, 5); normalize(@a, 10); "
	 "denormalize(@a); }",
		{"clear @a (0)\n     2  action r0 trunc @a (0)\n     3  integer r0 5\n     4  "
		 "action r0 trunc @a (1)\n     5  integer r0 10\n     6  action r0 normalize @a "
		 "(1)\n     7  action r0 denormalize @a (0)"}},
	{"BEGIN { printf(\"%d %s\\n\", pid, execname); trace(1); exit(0); }",
		{"builtin r0 pid\n     1  builtin r1 execname\n     2  action r0 printf format 0 "
		 "(2)\n     3  integer r0 1\n     4  action r0 trace (1)\n     5  integer r0 0\n   "
		 "  6  action r0 exit (1)\n     7  return"}},
	{"BEGIN { }", {"action r0 default (0)\n     1  return"}},
	{"BEGIN { ; ; }", {"action r0 default (0)\n     1  return"}},
	{"BEGIN", {"action r0 default (0)\n     1  return"}},
	{"BEGIN { x = 1; }", {"store r0 x\n     2  return"}},
	/* clauses and their probes */
	{"BEGIN, END { x = 1; }",
		{"clause 0 script 0 line 1: 1 (1 probes)",
			"clause 1 script 0 line 1: 2 (1 probes)"}},
	{"vm$target:::gc-* { }", {"line 1: 4 5 (2 probes)"}},
	{"vm1234:toy:call:method-?????? { }", {"line 1: 7 (1 probes)"}},
	{"vm*:::gc-start { }", {"line 1: 4 10 (2 probes)"}},
	{"vm[!1]*:::gc-start { }", {"line 1: 10 (1 probes)"}},
	{"call: { }", {"line 1: 6 7 (2 probes)"}},
	{":collect: { }", {"line 1: 4 5 10 (3 probes)"}},
	{"collect:gc-start { }", {"line 1: 4 10 (2 probes)"}},
	{"6 { }", {"line 1: 6 (1 probes)"}},
	{"dtrace::: { }", {"line 1: 1 2 3 (3 probes)"}},
	{"tick-1s,tick-1s { }",
		{"clause 0 script 0 line 1: 11 (1 probes)",
			"clause 1 script 0 line 1: 11 (1 probes)"}},
	{"method-entry, method-return { trace(args[3]); }", {"clause 0", "clause 1"}},
	/* names that are types in C */
	{"BEGIN { x = sizeof(uint16_t); y = (uint8_t)arg0; }", {"integer r0 2\n", "cut r0, r0 8"}},
	{"BEGIN { u8 = 1; x = u8; }", {"variable 0 int32 u8"}},
	/* each clause without a body has a default action of its own */
	{"BEGIN END", {"clause 0", "clause 1"}},
};

static struct d_fixture fixture;

static void setup(void)
{
	d_fixture_open(&fixture);
}

static void teardown(void)
{
	d_fixture_close(&fixture);
}

START_TEST(listing)
{
	const struct row *row = &rows[_i];
	const char *at;

	if (!row->fragments[0]) {
		ck_assert_int_lt(d_fixture_compile(&fixture, NULL, row->text), 0);
		return;
	}
	at = d_fixture_listing(&fixture, row->text);
	for (unsigned i = 0; i < 4 && row->fragments[i]; i++) {
		at = strstr(at, row->fragments[i]);
		ck_assert_msg(at, "%s\nhas no (or not in order)\n%s\nin\n%s", row->text,
			row->fragments[i], fixture.listing);
		at += strlen(row->fragments[i]);
	}
}
END_TEST

/* How formats are compiled. */
START_TEST(formats)
{
	const struct d_conversion *conversion;

	d_fixture_listing(&fixture,
		"BEGIN { printf(\"a%%b%-5d|%+'*.*x%08lu %#o%s%c%p%%\", 1, 2, 3, 4U, timestamp, 5, "
		"\"s\", 'c', arg0); printf(\"%%\"); }");
	ck_assert_uint_eq(fixture.program->format_count, 2);
	ck_assert_uint_eq(fixture.program->formats[0].count, 8);
	conversion = fixture.program->formats[0].conversions;
	ck_assert_str_eq(conversion[0].before.bytes, "a%b");
	ck_assert_int_eq(conversion[0].kind, D_CONVERT_SIGNED);
	ck_assert(conversion[0].minus);
	ck_assert_int_eq(conversion[0].width, 5);
	ck_assert_int_eq(conversion[0].precision, 0);
	ck_assert_str_eq(conversion[1].before.bytes, "|");
	ck_assert_int_eq(conversion[1].kind, D_CONVERT_UNSIGNED);
	ck_assert(conversion[1].plus && conversion[1].group);
	ck_assert(conversion[1].width_argument && conversion[1].precision_argument);
	ck_assert_int_eq(conversion[1].letter, 'x');
	ck_assert_int_eq(conversion[1].type.size, 4);
	ck_assert(conversion[2].zero);
	ck_assert_int_eq(conversion[2].width, 8);
	ck_assert_int_eq(conversion[2].type.size, 8);
	ck_assert(conversion[3].alternate);
	ck_assert_int_eq(conversion[4].kind, D_CONVERT_STRING);
	ck_assert_int_eq(conversion[5].kind, D_CONVERT_CHARACTER);
	ck_assert_int_eq(conversion[6].kind, D_CONVERT_POINTER);
	ck_assert(!conversion[7].present);
	ck_assert_str_eq(conversion[7].before.bytes, "%");
	ck_assert_uint_eq(fixture.program->formats[1].count, 1);
	ck_assert_str_eq(fixture.program->formats[1].conversions[0].before.bytes, "%");
	ck_assert_uint_eq(fixture.program->actions[0].argument_count, 9);
}
END_TEST

/* %d of an unsigned value prints as %u. */
START_TEST(unsigned_formats)
{
	const struct d_conversion *conversion;

	d_fixture_listing(&fixture,
		"BEGIN { @a[timestamp, pid] = count(); @b = sum(1); "
		"printa(\"%d %d %@d %@d\", @a); printa(\"%@d\", @b); }");
	conversion = fixture.program->formats[0].conversions;
	ck_assert_int_eq(conversion[0].kind, D_CONVERT_UNSIGNED);
	ck_assert_int_eq(conversion[0].letter, 'u');
	ck_assert_int_eq(conversion[1].kind, D_CONVERT_SIGNED);
	ck_assert(!conversion[1].aggregation && conversion[2].aggregation);
	conversion = fixture.program->formats[1].conversions;
	ck_assert_int_eq(conversion[0].kind, D_CONVERT_SIGNED);
}
END_TEST

/* The scripts of a run share globals and aggregations, but not this->. */
START_TEST(several_scripts)
{
	ck_assert_int_eq(
		d_fixture_compile(&fixture, NULL, "BEGIN { x = 1; this->y = 1; @a = count(); }"),
		0);
	ck_assert_int_eq(d_fixture_compile(&fixture, "b.d",
				 "#pragma D option quiet\nEND { trace(x); this->y = \"s\"; "
				 "printa(@a); }"),
		0);
	d_fixture_finish(&fixture);
	ck_assert_uint_eq(fixture.program->script_count, 2);
	ck_assert_str_eq(fixture.program->scripts[0].name, "BEGIN ");
	ck_assert(!fixture.program->scripts[0].is_file);
	ck_assert_uint_eq(fixture.program->scripts[0].probe_count, 1);
	ck_assert_str_eq(fixture.program->scripts[1].name, "b.d");
	ck_assert(fixture.program->scripts[1].is_file);
	ck_assert_uint_eq(fixture.program->variable_count, 3);
	ck_assert_uint_eq(fixture.program->clauses[1].script, 1);
	ck_assert(fixture.program->options.quiet);
}
END_TEST

START_TEST(this_of_another_script)
{
	ck_assert_int_eq(d_fixture_compile(&fixture, NULL, "BEGIN { this->y = 1; }"), 0);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "END { trace(this->y); }"), 0);
	ck_assert_str_eq(fixture.error.tag, "D_VAR_UNDEF");
}
END_TEST

START_TEST(arguments)
{
	char *arguments[] = {
		(char *)"abc", (char *)"-5", (char *)"a-b", (char *)"0x10", (char *)""};
	const char *listing;

	fixture.settings.arguments = arguments;
	fixture.settings.argument_count = 5;
	listing = d_fixture_listing(&fixture,
		"BEGIN { abc = 1; x = $1; y = $2; z = $3; w = $4 + 1; v = $5; u = $$2; t = $$0; }");
	ck_assert_ptr_nonnull(strstr(listing, "load r0 abc\n     3  store r0 x"));
	ck_assert_ptr_nonnull(strstr(listing, "integer r0 -5\n"));
	ck_assert_ptr_nonnull(strstr(listing, "string r0 \"a-b\"\n"));
	ck_assert_ptr_nonnull(strstr(listing, "integer r0 17\n"));
	ck_assert_ptr_nonnull(strstr(listing, "string r0 \"\"\n"));
	ck_assert_ptr_nonnull(strstr(listing, "string r0 \"-5\"\n"));
	ck_assert_ptr_nonnull(strstr(listing, "string r0 \"vmtap\"\n"));

	arguments[0] = (char *)"int";
	arguments[1] = (char *)"1234";
	arguments[2] = (char *)"99999999999999999999";
	fixture.settings.argument_count = 2;
	listing = d_fixture_listing(&fixture, "vm$2:::gc-start { x = sizeof($1); }");
	ck_assert_ptr_nonnull(strstr(listing, "line 1: 4 (1 probes)"));
	ck_assert_ptr_nonnull(strstr(listing, "integer r0 4\n"));

	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { x = $1; }"), 0);
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { x = sizeof($1); }"), 0);
	ck_assert_str_eq(fixture.error.tag, "D_MACRO_UNUSED");
	fixture.settings.argument_count = 3;
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { x = $3; }"), 0);
	ck_assert_str_eq(fixture.error.tag, "D_MACRO_OFLOW");
	fixture.settings.argument_count = 0;
	d_fixture_new_compiler(&fixture);
	listing = d_fixture_listing(
		&fixture, "#pragma D option defaultargs\nBEGIN { x = $1; y = $$2; }");
	ck_assert_ptr_nonnull(strstr(listing, "integer r0 0\n"));
	ck_assert_ptr_nonnull(strstr(listing, "string r0 \"\"\n"));
}
END_TEST

/* As on the command line. */
static void set_option(const char *name, const char *value, const char *expected)
{
	const char *wrong =
		d_option_set(&fixture.options, &fixture.compile_options, name, value, false);

	ck_assert_pstr_eq(wrong, expected);
}

START_TEST(options)
{
	const struct d_options *options;

	set_option("aggrate", "100ms", NULL);
	set_option("aggrate", "never", "Invalid value for specified option");
	set_option("jstackframes", "7", NULL);
	set_option("bufsize", "64k", NULL);
	set_option("aggsortpos", "2", NULL);
	set_option("cpppath", "/cpp", NULL);
	set_option("bufsize", "64q", "Invalid value for specified option");
	set_option("nosuch", NULL, "Invalid option name");
	ck_assert_str_eq(fixture.compile_options.cpppath, "/cpp");
	d_fixture_listing(&fixture,
		"#pragma D option strsize=1k\n#pragma D option switchrate=10hz\n"
		"#pragma D option quiet=0\n#pragma D option flowindent=no\n"
		"BEGIN { s = execname; @a[s] = count(); trace(s); }\n#pragma D option zdefs\n");
	options = &fixture.program->options;
	ck_assert_uint_eq(options->jstackframes, 7);
	ck_assert_uint_eq(options->switchrate, 100000000);
	ck_assert_uint_eq(options->statusrate, 1000000000);
	ck_assert_uint_eq(options->bufsize, 65536);
	ck_assert_uint_eq(options->strsize, 1024);
	ck_assert_int_eq(options->aggsortpos, 2);
	ck_assert(options->quiet && !options->flowindent);
	ck_assert_uint_eq(fixture.program->variables[0].type.size, 1024);
	ck_assert_uint_eq(fixture.program->aggregations[0].keys[0].size, 1024);
}
END_TEST

START_TEST(no_match_is_allowed)
{
	d_fixture_listing(&fixture, "#pragma D option zdefs\nnosuch:::x { trace(1); }");
	ck_assert_uint_eq(fixture.program->clause_count, 1);
	ck_assert_uint_eq(fixture.program->clauses[0].probe_count, 0);
}
END_TEST

START_TEST(descriptions_are_cut)
{
	d_fixture_listing(&fixture, "  vm$target:::gc-* /arg0/ { trace(1); } ");
	ck_assert_str_eq(fixture.program->scripts[0].name, "  vm$target:::gc-* ");
	ck_assert_uint_eq(fixture.program->scripts[0].probe_count, 2);
}
END_TEST

START_TEST(ticks)
{
	static const struct {
		const char *name;
		uint64_t period;
	} ticks[] = {{"tick-1s", 1000000000}, {"tick-10", 100000000}, {"tick-5000hz", 200000},
		{"tick-200us", 200000}, {"tick-2M", UINT64_C(120000000000)},
		{"tick-1day", UINT64_C(86400000000000)}, {"profile:::tick-3ms", 3000000}};
	const struct d_probe *probe;
	char text[64];

	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		size_t before = fixture.probes.count;

		snprintf(text, sizeof(text), "%s { x = 1; }", ticks[i].name);
		d_fixture_listing(&fixture, text);
		ck_assert_uint_eq(fixture.probes.count, before + 1);
		probe = &fixture.probes.probes[before];
		ck_assert_int_eq(probe->kind, D_PROBE_TICK);
		ck_assert_uint_eq(probe->period, ticks[i].period);
		ck_assert_str_eq(probe->provider, "profile");
	}
	d_fixture_listing(&fixture, "tick-1s { }");
	d_fixture_listing(&fixture, "tick-* { }");
	ck_assert_uint_ge(fixture.program->clauses[0].probe_count, 8);
}
END_TEST

START_TEST(needs)
{
	const struct d_clause *clauses;

	/* each clause has its own; what an inline needs is needed where it is used */
	d_fixture_listing(&fixture,
		"inline int when = vtimestamp; BEGIN { x = sizeof(errno); }\n"
		"gc-start /cpu == 1/ { y = when; y = when; }\nEND { self->z = x; }");
	clauses = fixture.program->clauses;
	ck_assert_uint_eq(clauses[0].needs.set, 0);
	ck_assert_uint_eq(clauses[0].needs.use_count, 0);
	ck_assert_uint_eq(
		clauses[1].needs.set, d_need_bit(D_NEED_CPU_TIME) | d_need_bit(D_NEED_CPU));
	ck_assert_uint_eq(clauses[1].needs.use_count, 2);
	ck_assert_str_eq(clauses[1].needs.uses[0].where, "line 2");
	ck_assert_uint_eq(clauses[2].needs.set, d_need_bit(D_NEED_OS_THREAD));
	ck_assert_str_eq(clauses[2].needs.uses[0].name, "self->z");
}
END_TEST

START_TEST(patterns)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {{"", "", true}, {"", "x", true}, {"*", "", true}, {"?", "", false},
		{"a", "a", true}, {"a", "ab", false}, {"ab", "a", false}, {"a*", "abc", true},
		{"*c", "abc", true}, {"*b", "abc", false}, {"a*b*c", "a1b2b3c", true},
		{"a*b*c", "a1b2b3d", false}, {"[abc]", "b", true}, {"[abc]", "d", false},
		{"[a-c]x", "bx", true}, {"[!a-c]", "b", false}, {"[!a-c]", "z", true},
		{"[]]", "]", true}, {"[a", "a", false}, {"[", "[", false}, {"\\*", "*", true},
		{"\\*", "a", false}, {"[\\]]", "]", true}, {"a\\", "a\\", true},
		{"**a**", "bab", true}, {"*?*?*", "a", false}, {"*?*?*", "ab", true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(pattern_match(cases[i].pattern, cases[i].text) == cases[i].matches,
			"%s on %s", cases[i].pattern, cases[i].text);
}
END_TEST

/* The time for a pattern of many stars is bounded by the product of the lengths. */
START_TEST(pattern_of_stars)
{
	char pattern[2001], text[2001];

	for (unsigned i = 0; i < 2000; i++) {
		pattern[i] = i % 2 ? 'a' : '*';
		text[i] = 'a';
	}
	pattern[1999] = 'b';
	pattern[2000] = text[2000] = '\0';
	ck_assert(!pattern_match(pattern, text));
}
END_TEST

/* A script made of before, count copies of text, and after. */
static char *repeat(const char *before, const char *text, size_t count, const char *after)
{
	size_t length = strlen(text);
	char *script = malloc(strlen(before) + length * count + strlen(after) + 1), *at = script;

	ck_assert_ptr_nonnull(script);
	at = stpcpy(at, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, text);
	strcpy(at, after);
	return script;
}

/* Large and deeply nested scripts either compile or are refused with a reason. */
START_TEST(large)
{
	static const struct {
		const char *before, *text, *after, *tag;
		size_t count;
	} cases[] = {
		{"", "vm$target:::gc-* { @a = count(); printf(\"%d\", arg0); }\n", "", NULL, 10000},
		{"BEGIN { x = 1", " + 1", "; }", NULL, 200000},
		{"BEGIN { ", "x = 1; ", "}", NULL, 100000},
		{"BEGIN { x = arg0", " + arg0", "; }", NULL, 1000000},
		{"BEGIN { x = arg0", " - arg0 + 1", "; }", NULL, 100000},
		{"BEGIN { x = arg0", " && arg0", "; }", NULL, 100000},
		{"BEGIN { x = arg0", ", arg0", "; }", NULL, 100000},
		{"BEGIN { x = arg0", "++", "; }", "D_SYNTAX", 100000},
		{"BEGIN { x = arg0", "[1]", "; }", "D_SYNTAX", 100000},
		{"BEGIN { x = arg0", ".m", "; }", "D_SYNTAX", 100000},
		{"BEGIN { x = ", "(", "1; }", "D_SYNTAX", 1000000},
		{"BEGIN { x = ", "- ", "1; }", "D_SYNTAX", 1000000},
		{"BEGIN { x = ", "a[", "1; }", "D_SYNTAX", 100000},
		{"BEGIN { x = ", "arg0 ? 1 : ", "1; }", "D_SYNTAX", 100000},
		{"BEGIN { x = ", "x = ", "1; }", "D_SYNTAX", 100000},
		{"BEGIN { x = ", "(char)", "1; }", "D_SYNTAX", 100000},
		{"BEGIN { x = ", "arg0 + (", "1; }", "D_SYNTAX", 100000},
		{"int ", "*", "x; BEGIN { }", "D_SYNTAX", 100000},
		{"BEGIN { printf(\"", "%d", "\"); }", "D_PRINTF_ARG_PROTO", 100000},
		{"BEGIN { printf(\"x\"", ", 1", "); }", "D_PRINTF_ARG_EXTRA", 100000},
		{"BEGIN", ", BEGIN", " { }", NULL, 100000},
		{"", "*", " { }", NULL, 100000},
		{"/*", "*", "", "D_SYNTAX", 1000000},
		{"#", "#", "\n", "D_PRAGCTL_INVAL", 100000},
		{"#", "#", "", "D_SYNTAX", 100000},
	};
	char *script;
	int result;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		d_fixture_new_compiler(&fixture);
		script = repeat(cases[i].before, cases[i].text, cases[i].count, cases[i].after);
		result = d_fixture_compile(&fixture, NULL, script);
		free(script);
		ck_assert_msg(cases[i].tag ? result < 0 && !strcmp(fixture.error.tag, cases[i].tag)
					   : result == 0,
			"%s%s...: %s: %s", cases[i].before, cases[i].text,
			result ? fixture.error.tag : "",
			result ? fixture.error.message.text : "ok");
	}
}
END_TEST

/* Too many values at once is an error, not wrong code. */
START_TEST(registers)
{
	char *opened = repeat("BEGIN { x = ", "arg0 + (", 150, "1"), *script;

	script = repeat(opened, ")", 150, "; }");
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, script), 0);
	ck_assert_ptr_nonnull(
		strstr(fixture.error.message.text, "Insufficient registers to generate code"));
	free(opened);
	free(script);
}
END_TEST

/* Every row of the table of subroutines can be called with all numbers of arguments it allows. */
START_TEST(subroutines)
{
#define CALLABLE(number, name, function, need, least, most, result, ...)                           \
	{name, least, most, {__VA_ARGS__}},
#define SKIPPED(...)
	static const struct {
		const char *name;
		unsigned least, most;
		const char *parameters[3];
	} table[] = {D_SUBROUTINE_ROWS(CALLABLE, SKIPPED)};
	char script[200], call[80];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		for (unsigned count = table[i].least; count <= table[i].most; count++) {
			size_t length = (size_t)snprintf(
				script, sizeof(script), "BEGIN { %s(", table[i].name);
			for (unsigned j = 0; j < count; j++) {
				const char *type = table[i].parameters[j];
				length += (size_t)snprintf(script + length, sizeof(script) - length,
					!strcmp(type, "string")           ? "%s\"%s\""
						: !strcmp(type, "void *") ? "%s(%s)alloca(1)"
									  : "%s(%s)1",
					j ? ", " : "", type);
			}
			snprintf(script + length, sizeof(script) - length, "); }");
			snprintf(call, sizeof(call), "call r0, r0, %u %s\n", count, table[i].name);
			ck_assert_msg(strstr(d_fixture_listing(&fixture, script), call), "%s\n%s",
				script, fixture.listing);
		}
	}
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, listing, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tests, formats);
	tcase_add_test(tests, unsigned_formats);
	tcase_add_test(tests, several_scripts);
	tcase_add_test(tests, this_of_another_script);
	tcase_add_test(tests, arguments);
	tcase_add_test(tests, options);
	tcase_add_test(tests, no_match_is_allowed);
	tcase_add_test(tests, descriptions_are_cut);
	tcase_add_test(tests, ticks);
	tcase_add_test(tests, needs);
	tcase_add_test(tests, patterns);
	tcase_add_test(tests, pattern_of_stars);
	tcase_add_test(tests, large);
	tcase_add_test(tests, registers);
	tcase_add_test(tests, subroutines);
}
