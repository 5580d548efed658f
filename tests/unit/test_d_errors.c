/*
 * test_d_errors.c: errors in a script are found by the right rule at the right place. Each row
 * is a program, the tag, and the line and column that are reported.
 */
#include "d_fixture.h"

#include "unit_main.h"

struct row {
	const char *text;
	const char *tag;
	uint32_t line, column; /* column 0: no place */
};

/* As string programs (-n). */
static const struct row string_rows[] = {
	/* literals */
	{"BEGIN { x = 089; }", "D_INT_DIGIT", 1, 13},
	{"BEGIN { x = 99999999999999999999; }", "D_INT_OFLOW", 1, 13},
	{"BEGIN { x = 9223372036854775808; }", "D_INT_OFLOW", 1, 13},
	{"BEGIN { x = 1LU; }", "D_SYNTAX", 1, 15},
	{"BEGIN { x = 12ab; }", "D_SYNTAX", 1, 15},
	{"BEGIN { x = 1.5; }", "D_SYNTAX", 1, 13},
	{"BEGIN { x = 'abcdefghi'; }", "D_CHR_OFLOW", 1, 13},
	{"BEGIN { x = ''; }", "D_CHR_NULL", 1, 13},
	{"BEGIN { x = 'a\n'; }", "D_CHR_NL", 1, 13},
	{"BEGIN { x = \"a\n\"; }", "D_STR_NL", 1, 13},
	{"BEGIN { x = \"a\" \"b\"; }", "D_SYNTAX", 1, 17},
	{"BEGIN { /* a /* b */ }", "D_SYNTAX", 1, 14},
	{"BEGIN { /* a ", "D_SYNTAX", 1, 9},
	{"BEGIN { // a\n}", "D_SYNTAX", 1, 9},
	{"BEGIN { x = $; }", "D_SYNTAX", 1, 13},
	{"BEGIN { x = 1 \x01; }", "D_SYNTAX", 1, 15},
	/* macros */
	{"BEGIN { x = $1; }", "D_MACRO_UNDEF", 1, 13},
	{"BEGIN { x = $$7; }", "D_MACRO_UNDEF", 1, 13},
	{"BEGIN { x = $nosuch; }", "D_MACRO_UNDEF", 1, 13},
	{"vm$nosuch:::x { }", "D_PDESC_INVAL", 1, 1},
	/* control lines */
	{"#pragma D option nosuch\nBEGIN", "D_PRAGMA_OPTSET", 1, 18},
	{"#pragma D option quiet=maybe\nBEGIN", "D_PRAGMA_OPTSET", 1, 18},
	{"#pragma D option cpppath=/x\nBEGIN", "D_PRAGMA_OPTSET", 1, 18},
	{"#pragma D option zdefs=1\nBEGIN", "D_PRAGMA_OPTSET", 1, 18},
	{"#pragma D option strsize=1\nBEGIN", "D_PRAGMA_OPTSET", 1, 18},
	{"#pragma D option\nBEGIN", "D_PRAGMA_MALFORM", 1, 17},
	{"#pragma D option quiet now\nBEGIN", "D_PRAGMA_MALFORM", 1, 24},
	{"#pragma D nosuch\nBEGIN", "D_PRAGMA_INVAL", 1, 11},
	{"#define X 1\nBEGIN", "D_PRAGCTL_INVAL", 1, 2},
	{"#error no good\nBEGIN", "D_PRAGERR", 1, 2},
	{"#line x\nBEGIN", "D_PRAGMA_MALFORM", 1, 7},
	/* grammar */
	{"", "D_EMPTY", 1, 0},
	{"/* nothing */\n#pragma D option quiet\n", "D_EMPTY", 1, 0},
	{"int x;", "D_EMPTY", 1, 0},
	{"BEGIN {", "D_SYNTAX", 1, 8},
	{"BEGIN { trace(1) trace(2) }", "D_SYNTAX", 1, 18},
	{"BEGIN { trace(1; }", "D_SYNTAX", 1, 16},
	{"BEGIN\n{\n\tx = ;\n}", "D_SYNTAX", 3, 6},
	{"BEGIN /x/", "D_SYNTAX", 1, 10},
	{"BEGIN // { }", "D_SYNTAX", 1, 8},
	{"BEGIN /(1/ { }", "D_SYNTAX", 1, 10},
	{"BEGIN { 1 ? 2 : x = 3; }", "D_SYNTAX", 1, 19},
	{"BEGIN { a + b = 3; }", "D_SYNTAX", 1, 15},
	{"BEGIN { int x; }", "D_SYNTAX", 1, 9},
	{"BEGIN, { }", "D_SYNTAX", 1, 8},
	{"a:b:c:d:e { }", "D_PDESC_INVAL", 1, 1},
	/* descriptions */
	{"nosuch", "D_PDESC_ZERO", 1, 1},
	{"BEGIN, nosuch { }", "D_PDESC_ZERO", 1, 8},
	{"vm:::gc-start { }", "D_PDESC_ZERO", 1, 1},
	{"tick-0 { }", "D_PDESC_ZERO", 1, 1},
	{"tick-5001 { }", "D_PDESC_ZERO", 1, 1},
	{"tick-1us { }", "D_PDESC_ZERO", 1, 1},
	{"tick-1x { }", "D_PDESC_ZERO", 1, 1},
	{"a::tick-1 { }", "D_PDESC_ZERO", 1, 1},
	{"profile-97 { }", "D_PDESC_ZERO", 1, 1},
	{"99 { }", "D_PDESC_INVAL", 1, 1},
	{"0 { }", "D_PDESC_INVAL", 1, 1},
	{"nosuch { trace(nosuch); }", "D_PDESC_ZERO", 1, 1},
	/* which error is found first */
	{"BEGIN { printf(\"%d\"); nosuch; }", "D_IDENT_UNDEF", 1, 23},
	{"BEGIN { nosuch; } END { x = 1 / 0; }", "D_DIV_ZERO", 1, 31},
	{"BEGIN { nosuch; } END { nosuch(); }", "D_FUNC_UNDEF", 1, 25},
	{"BEGIN { printf(\"%d\"); } END { nosuch; }", "D_PRINTF_ARG_PROTO", 1, 16},
	{"BEGIN /nosuch/ { strlen(); }", "D_PROTO_LEN", 1, 18},
	{"BEGIN { strlen(1, 2); }", "D_PROTO_LEN", 1, 9},
	/* names */
	{"BEGIN { trace(x); }", "D_IDENT_UNDEF", 1, 15},
	{"BEGIN { x = x + 1; }", "D_VAR_UNDEF", 1, 13},
	{"BEGIN { x += 1; }", "D_VAR_UNDEF", 1, 9},
	{"BEGIN { self->x += 1; }", "D_VAR_UNDEF", 1, 9},
	{"BEGIN { trace(self->x); }", "D_VAR_UNDEF", 1, 15},
	{"BEGIN { trace(this->x); }", "D_VAR_UNDEF", 1, 15},
	{"BEGIN { trace(a[1]); }", "D_VAR_UNDEF", 1, 15},
	{"BEGIN { trace(x); } END { x = 1; }", "D_IDENT_UNDEF", 1, 15},
	{"BEGIN { trace(args); }", "D_IDENT_BADREF", 1, 15},
	{"BEGIN { trace(strlen); }", "D_IDENT_BADREF", 1, 15},
	{"BEGIN { a[1] = 2; trace(a); }", "D_IDENT_BADREF", 1, 25},
	{"BEGIN { trace(self); }", "D_IDENT_BADREF", 1, 15},
	{"BEGIN { trace(vmlinux`no_such_symbol); }", "D_SYM_NOTYPES", 1, 15},
	{"BEGIN { nosuch(1); }", "D_FUNC_UNDEF", 1, 9},
	{"BEGIN { pid(1); }", "D_FUNC_IDKIND", 1, 9},
	{"BEGIN { (1)(2); }", "D_FUNC_IDENT", 1, 10},
	{"BEGIN { this->a[1] = 1; }", "D_ARR_LOCAL", 1, 9},
	/* operators */
	{"BEGIN { x = 1 - \"a\"; }", "D_OP_INCOMPAT", 1, 15},
	{"BEGIN { x = \"a\" * 1; }", "D_OP_ARITH", 1, 17},
	{"BEGIN { x = \"a\" % 1; }", "D_OP_INT", 1, 17},
	{"BEGIN { x = \"a\" << 1; }", "D_OP_INT", 1, 17},
	{"BEGIN { x = \"a\" && 1; }", "D_OP_SCALAR", 1, 17},
	{"BEGIN { x = \"a\" == 1; }", "D_OP_INCOMPAT", 1, 17},
	{"BEGIN { x = \"a\" ? 1 : 2; }", "D_OP_SCALAR", 1, 17},
	{"BEGIN { x = arg0 ? 1 : \"b\"; }", "D_OP_INCOMPAT", 1, 18},
	{"BEGIN { x = !\"a\"; }", "D_OP_SCALAR", 1, 13},
	{"BEGIN { x = -\"a\"; }", "D_OP_ARITH", 1, 13},
	{"BEGIN { x = ~\"a\"; }", "D_OP_INT", 1, 13},
	{"BEGIN { x = *1; }", "D_DEREF_NONPTR", 1, 13},
	{"BEGIN { x = *(void *)1; }", "D_DEREF_VOID", 1, 13},
	{"BEGIN { x = &pid; }", "D_ADDROF_VAR", 1, 13},
	{"BEGIN { x = &1; }", "D_ADDROF_LVAL", 1, 13},
	{"BEGIN { x = \"a\"; x++; }", "D_OP_SCALAR", 1, 19},
	{"BEGIN { x = (void *)1; x++; }", "D_OP_VFPTR", 1, 25},
	{"BEGIN { 1++; }", "D_OP_LVAL", 1, 10},
	{"BEGIN { pid++; }", "D_OP_WRITE", 1, 12},
	{"BEGIN { 1 = 2; }", "D_OP_LVAL", 1, 11},
	{"BEGIN { pid = 2; }", "D_OP_WRITE", 1, 13},
	{"BEGIN { x = 1; x = \"a\"; }", "D_OP_INCOMPAT", 1, 18},
	{"BEGIN { x = \"a\"; x = 1; }", "D_OP_INCOMPAT", 1, 20},
	{"BEGIN { self->x = 1; self->x = \"a\"; }", "D_OP_INCOMPAT", 1, 30},
	{"BEGIN { x = (char *)1; x = (int *)1; }", "D_OP_INCOMPAT", 1, 26},
	{"BEGIN { x = (char *)1; y = x == 1; }", "D_OP_INCOMPAT", 1, 30},
	{"BEGIN { x = trace(1); }", "D_OP_INCOMPAT", 1, 11},
	{"BEGIN { x = 1, trace(2); }", "D_OP_ACT", 1, 14},
	{"BEGIN { arg0 ? trace(1) : trace(2); }", "D_OP_ACT", 1, 14},
	{"BEGIN { @a = count(); x = 1 ? 2 : 3, @a; }", "D_OP_DYN", 1, 36},
	{"BEGIN { x = 1; x /= 0; }", "D_DIV_ZERO", 1, 18},
	{"BEGIN { x = 0 && 1 % 0; }", "D_DIV_ZERO", 1, 20},
	{"BEGIN { x = (int)\"a\"; }", "D_CAST_INVAL", 1, 13},
	{"BEGIN { x = (char *)\"a\"; }", "D_CAST_INVAL", 1, 13},
	{"BEGIN { x = sizeof(void); }", "D_SIZEOF_TYPE", 1, 13},
	{"BEGIN { @a = count(); x = sizeof(@a); }", "D_SIZEOF_TYPE", 1, 27},
	{"BEGIN { x = stringof(trace(1)); }", "D_STRINGOF_TYPE", 1, 13},
	{"BEGIN { x = 1; x.y; }", "D_OP_SOU", 1, 17},
	{"BEGIN { x = 1; x->y; }", "D_OP_PTR", 1, 17},
	{"lock-wait { trace(args[1]->owner); }", "D_OP_INCOMPLETE", 1, 26},
	{"lock-wait { trace(args[2]->owner); }", "D_OP_SOU", 1, 26},
	/* calls */
	{"BEGIN { x = strlen(); }", "D_PROTO_LEN", 1, 13},
	{"BEGIN { x = strlen(1); }", "D_PROTO_ARG", 1, 20},
	{"BEGIN { x = copyinstr(\"a\"); }", "D_PROTO_ARG", 1, 23},
	{"BEGIN { x = copyinstr(arg0, \"a\"); }", "D_PROTO_ARG", 1, 29},
	{"method-entry { x = copyinstr(args[0]); }", "D_PROTO_ARG", 1, 30},
	{"BEGIN { x = strjoin(\"a\"); }", "D_PROTO_LEN", 1, 13},
	{"BEGIN { exit(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { exit(\"a\"); }", "D_PROTO_ARG", 1, 14},
	{"BEGIN { x = 1 + strlen(\"a\", 1); }", "D_PROTO_LEN", 1, 17},
	{"BEGIN { trace(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { trace(printf(\"x\")); }", "D_TRACE_VOID", 1, 15},
	{"BEGIN { @a = count(); trace(@a); }", "D_TRACE_DYN", 1, 29},
	{"BEGIN { count(); }", "D_CG_EXPR", 1, 9},
	{"BEGIN { (void)trace(1); }", "D_CG_EXPR", 1, 15},
	/* arrays */
	{"BEGIN { a[1] = 1; a[1, 2] = 1; }", "D_PROTO_LEN", 1, 19},
	{"BEGIN { a[1] = 1; a[\"x\"] = 1; }", "D_PROTO_ARG", 1, 21},
	{"BEGIN { a[trace(1)] = 1; }", "D_KEY_TYPE", 1, 11},
	{"BEGIN { a[] = 1; }", "D_SYNTAX", 1, 11},
	{"BEGIN { x = 1; x[1] = 2; }", "D_DEREF_NONPTR", 1, 16},
	{"BEGIN { a[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3] = 1; }", "",
		1, 75},
	/* args */
	{"BEGIN { trace(args[0]); }", "D_ARGS_IDX", 1, 20},
	{"gc-start { trace(args[4]); }", "D_ARGS_IDX", 1, 23},
	{"gc-start { trace(args[-1]); }", "D_ARGS_IDX", 1, 23},
	{"gc-start { trace(args[arg0]); }", "D_PROTO_ARG", 1, 23},
	{"gc-start { trace(args[0, 1]); }", "D_PROTO_LEN", 1, 18},
	{"vm1234::: { trace(args[0]); }", "D_ARGS_MULTI", 1, 19},
	{"odd { trace(args[0]); }", "D_ARGS_TYPE", 1, 13},
	{"odd { trace(args[1]); }", "D_ARGS_TYPE", 1, 13},
	{"gc-start { args[0] = 1; }", "D_OP_WRITE", 1, 20},
	{"gc-start, BEGIN { trace(args[0]); }", "D_ARGS_IDX", 1, 30},
	/* aggregations */
	{"BEGIN { @a = 1; }", "D_AGG_FUNC", 1, 12},
	{"BEGIN { @a = strlen(\"x\"); }", "D_AGG_FUNC", 1, 12},
	{"BEGIN { @a = count(); @a = sum(1); }", "D_AGG_REDEF", 1, 26},
	{"BEGIN { @a[1] = count(); @a = count(); }", "D_PROTO_LEN", 1, 26},
	{"BEGIN { @a[1] = count(); @a[\"x\"] = count(); }", "D_PROTO_ARG", 1, 29},
	{"BEGIN { @a[1][2] = count(); }", "D_AGG_MDIM", 1, 9},
	{"BEGIN { @a; }", "D_IDENT_UNDEF", 1, 9},
	{"BEGIN { @a = count(); @a; }", "D_AGG_NULL", 1, 23},
	{"BEGIN { (@a = count()) = count(); }", "D_OP_LVAL", 1, 24},
	{"BEGIN { @a = count(); x = @a + 1; }", "D_OP_INCOMPAT", 1, 30},
	{"BEGIN { @a = count(1); }", "D_PROTO_LEN", 1, 14},
	{"BEGIN { @a = sum(); }", "D_PROTO_LEN", 1, 14},
	{"BEGIN { @a = sum(\"x\"); }", "D_AGG_SCALAR", 1, 18},
	{"BEGIN { @a = quantize(1, 2, 3); }", "D_PROTO_LEN", 1, 14},
	{"BEGIN { @a = quantize(1, \"x\"); }", "D_PROTO_ARG", 1, 26},
	{"BEGIN { @a[trace(1)] = count(); }", "D_KEY_TYPE", 1, 12},
	{"BEGIN { @a = lquantize(1, arg0, 10); }", "D_LQUANT_BASETYPE", 1, 27},
	{"BEGIN { @a = lquantize(1, 0x100000000, 1); }", "D_LQUANT_BASEVAL", 1, 27},
	{"BEGIN { @a = lquantize(1, 10, 10); }", "D_LQUANT_MISMATCH", 1, 14},
	{"BEGIN { @a = lquantize(1, 0, 10, 0); }", "D_LQUANT_STEPTYPE", 1, 34},
	{"BEGIN { @a = lquantize(1, 0, 10, 11); }", "D_LQUANT_STEPLARGE", 1, 14},
	{"BEGIN { @a = lquantize(1, 0, 100000); }", "D_LQUANT_STEPSMALL", 1, 14},
	{"BEGIN { @a = lquantize(1, 0, 9); @a = lquantize(1, 0, 8); }", "D_LQUANT_MATCHLIM", 1, 39},
	{"BEGIN { @a = llquantize(1, 1, 0, 3, 10); }", "D_LLQUANT_FACTORVAL", 1, 28},
	{"BEGIN { @a = llquantize(1, 10, 3, 0, 10); }", "D_LLQUANT_HMAGVAL", 1, 14},
	{"BEGIN { @a = llquantize(1, 10, 0, 3, 7); }", "D_LLQUANT_STEPVAL", 1, 14},
	/* printf and the rest */
	{"BEGIN { printf(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { printf(1); }", "D_PROTO_ARG", 1, 16},
	{"BEGIN { s = \"x\"; printf(s); }", "D_PRINTF_ARG_FMT", 1, 25},
	{"BEGIN { printf(\"\"); }", "D_PRINTF_FMT_EMPTY", 1, 16},
	{"BEGIN { printf(\"%\"); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%-%\"); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%z\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%1$d\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%**d\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%..1d\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%*d\"); }", "D_PRINTF_DYN_PROTO", 1, 16},
	{"BEGIN { printf(\"%*d\", \"x\", 1); }", "D_PRINTF_DYN_TYPE", 1, 23},
	{"BEGIN { printf(\"%@d\", 1); }", "D_PRINTF_AGG_CONV", 1, 16},
	{"BEGIN { printf(\"%d %d\", 1); }", "D_PRINTF_ARG_PROTO", 1, 16},
	{"BEGIN { printf(\"%d\", \"x\"); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%s\", 1); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%p\", \"x\"); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%c\", 1L); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%ld\", 1); }", "D_PRINTF_ARG_TYPE", 1, 23},
	{"BEGIN { printf(\"%hd\", 1); }", "D_PRINTF_ARG_TYPE", 1, 23},
	{"BEGIN { printf(\"x\", 1); }", "D_PRINTF_ARG_EXTRA", 1, 21},
	{"method-entry { printf(\"%s\", args[0]); }", "D_PRINTF_ARG_TYPE", 1, 29},
	{"BEGIN { printf(\"%@d\", 1); }", "D_PRINTF_AGG_CONV", 1, 16},
	{"BEGIN { printf(\"%8@d\", 1); }", "D_PRINTF_AGG_CONV", 1, 16},
	{"BEGIN { printf(\"%8**d\", 1, 1, 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%.1.1d\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%**d\", 1, 1, 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%1$d\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%5%\"); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%zd\", 1); }", "D_SYNTAX", 1, 16},
	{"BEGIN { printf(\"%hhd\", 1); }", "D_PRINTF_ARG_TYPE", 1, 24},
	{"BEGIN { printf(\"%f\", 1); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%Lg\", 1); }", "D_PRINTF_ARG_TYPE", 1, 23},
	{"BEGIN { printf(\"%k\", 1); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%k\", usym(1)); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%a\", \"x\"); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%p\", \"x\"); }", "D_PRINTF_ARG_TYPE", 1, 22},
	{"BEGIN { printf(\"%wc\", 1L); }", "D_PRINTF_ARG_TYPE", 1, 23},
	{"BEGIN { printf(\"%ws\", \"x\"); }", "D_PRINTF_ARG_TYPE", 1, 23},
	{"BEGIN { @a[stack()] = count(); printa(\"%a\", @a); }", "D_PRINTF_ARG_TYPE", 1, 39},
	{"BEGIN { @a[usym(1)] = count(); printa(\"%a\", @a); }", "D_PRINTF_ARG_TYPE", 1, 39},
	{"BEGIN { @a[sym(1)] = count(); printa(\"%A\", @a); }", "D_PRINTF_ARG_TYPE", 1, 38},
	/* stacks and places */
	{"BEGIN { stack(0); }", "D_STACK_SIZE", 1, 15},
	{"BEGIN { stack(x = 1); }", "D_STACK_SIZE", 1, 17},
	{"BEGIN { stack(1, 1); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { ustack(-1); }", "D_USTACK_FRAMES", 1, 16},
	{"BEGIN { ustack(1, pid); }", "D_USTACK_STRSIZE", 1, 19},
	{"BEGIN { jstack(1, \"x\"); }", "D_PROTO_ARG", 1, 19},
	{"BEGIN { usym(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { usym(\"x\"); }", "D_PROTO_ARG", 1, 14},
	{"BEGIN { a[stack()] = 1; }", "D_CG_EXPR", 1, 11},
	{"BEGIN { x = usym(1); }", "D_OP_INCOMPAT", 1, 11},
	{"BEGIN { x = ustack(); x = jstack(); }", "D_OP_INCOMPAT", 1, 25},
	{"BEGIN { trace(usym(1)); }", "D_CG_EXPR", 1, 15},
	{"BEGIN { @a[stack()] = count(); @a[1] = count(); }", "D_PROTO_ARG", 1, 35},
	{"BEGIN { @a[1] = count(); @a[usym(1)] = count(); }", "D_PROTO_ARG", 1, 29},
	{"BEGIN { @a[printf(\"x\")] = count(); }", "D_KEY_TYPE", 1, 12},
	{"BEGIN { printa(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { printa(\"x\"); }", "D_PRINTA_PROTO", 1, 9},
	{"BEGIN { printa(1); }", "D_PRINTA_AGGARG", 1, 16},
	{"BEGIN { printa(@a); }", "D_IDENT_UNDEF", 1, 16},
	{"BEGIN { printa(@a[1]); }", "D_PRINTA_AGGBAD", 1, 16},
	{"BEGIN { @a = count(); @b[1] = count(); printa(@a, @b); }", "D_PRINTA_AGGKEY", 1, 51},
	{"BEGIN { @a[1] = count(); @b[\"\"] = count(); printa(@a, @b); }", "D_PRINTA_AGGPROTO", 1,
		55},
	{"BEGIN { @a = count(); printa(\"%d\", @a); }", "D_PRINTF_ARG_PROTO", 1, 30},
	{"BEGIN { @a = count(); printa(\"%@s\", @a); }", "D_PRINTF_ARG_TYPE", 1, 30},
	{"BEGIN { @a[1] = count(); printa(\"%s\", @a); }", "D_PRINTF_ARG_TYPE", 1, 33},
	{"BEGIN { clear(1); }", "D_CLEAR_AGGARG", 1, 15},
	{"BEGIN { clear(@a[1]); }", "D_CLEAR_AGGBAD", 1, 15},
	{"BEGIN { trunc(1); }", "D_TRUNC_AGGARG", 1, 15},
	{"BEGIN { @a = count(); trunc(@a, \"x\"); }", "D_PROTO_ARG", 1, 33},
	{"BEGIN { normalize(1, 1); }", "D_NORMALIZE_AGGARG", 1, 19},
	{"BEGIN { @a = count(); normalize(@a, \"x\"); }", "D_PROTO_ARG", 1, 37},
	{"BEGIN { @a = count(); normalize(@a, 0); }", "D_NORMALIZE_SCALAR", 1, 37},
	{"BEGIN { denormalize(@a[1]); }", "D_NORMALIZE_AGGBAD", 1, 21},
	/* predicates */
	{"BEGIN /\"x\"/ { }", "D_PRED_SCALAR", 1, 8},
	{"BEGIN /trace(1)/ { }", "D_PRED_SCALAR", 1, 8},
	{"BEGIN /nosuch/ { }", "D_IDENT_UNDEF", 1, 8},
	{"BEGIN { pcap(); }", "D_PROTO_LEN", 1, 9},
	{"BEGIN { x = xlate<int>(1); }", "D_XLATE_NONE", 1, 13},
	{"struct s { int x; int x; }; BEGIN { }", "D_UNKNOWN", 1, 23},
	{"enum e { A, A }; BEGIN { }", "D_UNKNOWN", 1, 13},
	{"translator a < b c > { }; BEGIN { }", "D_SYNTAX", 1, 12},
	/* declarations */
	{"auto int x; BEGIN { }", "D_DECL_BADCLASS", 1, 1},
	{"self this int x; BEGIN { }", "D_DECL_CLASS", 1, 6},
	{"int; BEGIN { }", "D_DECL_USELESS", 1, 1},
	{"void x; BEGIN { }", "D_DECL_VOIDOBJ", 1, 6},
	{"struct s x; BEGIN { }", "D_DECL_INCOMPLETE", 1, 10},
	{"this int x[int]; BEGIN { }", "D_DECL_LOCASSC", 1, 10},
	{"int x; string x; BEGIN { }", "D_DECL_IDRED", 1, 15},
	{"int pid; BEGIN { }", "D_DECL_IDRED", 1, 5},
	{"int x[]; BEGIN { }", "D_DECL_ARRNULL", 1, 6},
	{"int x[0]; BEGIN { }", "D_DECL_ARRSUB", 1, 6},
	{"int x[void]; BEGIN { }", "D_DECL_PROTO_TYPE", 1, 7},
	{"int x[...]; BEGIN { }", "D_DECL_PROTO_VARARGS", 1, 7},
	{"short char x; BEGIN { }", "D_DECL_CHARATTR", 1, 7},
	{"unsigned void x; BEGIN { }", "D_DECL_VOIDATTR", 1, 10},
	{"unsigned string x; BEGIN { }", "D_DECL_SIGNINT", 1, 10},
	{"long string x; BEGIN { }", "D_DECL_LONGINT", 1, 6},
	{"int int x; BEGIN { }", "D_DECL_COMBO", 1, 5},
	{"long long long x; BEGIN { }", "D_UNKNOWN", 1, 1},
	{"self nosuch x; BEGIN { }", "D_DECL_IDENT", 1, 13},
	{"int x = 3; BEGIN { }", "D_SYNTAX", 1, 7},
	{"typedef int pid; BEGIN { }", "D_DECL_IDRED", 1, 13},
	{"inline int pid = 3; BEGIN { }", "D_DECL_IDRED", 1, 12},
	{"inline int X = 3; BEGIN { X = 4; }", "D_OP_LVAL", 1, 29},
};

/* As files (-s). */
static const struct row file_rows[] = {
	{"BEGIN", "D_SYNTAX", 1, 1},
	{"BEGIN\nEND { }", "D_SYNTAX", 1, 1},
	{"#!/usr/sbin/dtrace -s\n\nBEGIN\n{\n\ttrace(x);\n}\n", "D_IDENT_UNDEF", 5, 8},
	{"#line 70 \"other.d\"\nBEGIN { trace(x); }\n", "D_IDENT_UNDEF", 70, 15},
	{"int32_t x;\npid_t y\nBEGIN { }\n", "D_DECL_IDENT", 3, 1},
	{"BEGIN { x = \\\n y; }", "D_IDENT_UNDEF", 2, 2},
	{"BEGIN { /* a\nb */ trace(x); }", "D_IDENT_UNDEF", 2, 12},
	{"BEGIN { trace(1); }\n#pragma D option nosuch\n", "D_PRAGMA_OPTSET", 2, 18},
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

static void check_row(const struct row *row, const char *file)
{
	const struct d_error *error = &fixture.error;
	bool placed = row->column != 0;

	d_fixture_new_compiler(&fixture);
	ck_assert_msg(d_fixture_compile(&fixture, file, row->text) < 0, "compiled: %s", row->text);
	ck_assert_msg(!strcmp(error->tag, row->tag) &&
			(!placed || (error->line == row->line && error->column == row->column)),
		"%s\nexpected %s at %u:%u\nfound %s at %u:%u: %s", row->text, row->tag, row->line,
		row->column, error->tag, error->line, error->column, error->message.text);
	ck_assert_msg(!strchr(error->message.text, '\n') && *error->message.text,
		"not one line: %s", error->message.text);
}

START_TEST(string_program)
{
	check_row(&string_rows[_i], NULL);
}
END_TEST

START_TEST(file_program)
{
	check_row(&file_rows[_i], "test.d");
}
END_TEST

/* The whole message in DTrace's words, followed by the place. */
START_TEST(messages)
{
	static const struct {
		const char *file, *text, *message;
	} rows[] = {
		{NULL, "BEGIN { trace(foo); }",
			"in action list: failed to resolve foo: Unknown variable name, column 15, "
			"near `foo'"},
		{NULL, "BEGIN /foo/ { }",
			"in predicate: failed to resolve foo: Unknown variable name, column 8, "
			"near "
			"`foo'"},
		{"a.d", "BEGIN\n{\n\ttrace(foo);\n}\n",
			"line 3: failed to resolve foo: Unknown variable name, column 8, near "
			"`foo'"},
		{"a.d", "#line 9 \"b.d\"\nBEGIN { trace(foo); }\n",
			"\"b.d\", line 9: failed to resolve foo: Unknown variable name, column 15, "
			"near `foo'"},
		{"a.d", "BEGIN { trace(; }",
			"line 1: syntax error near \";\": expected an expression, column 15"},
		{"a.d", "BEGIN {",
			"line 1: syntax error near end-of-input: expected an "
			"expression, column 8"},
		{NULL, "BEGIN\n{ x = \n1 / 0; }",
			"expression contains division by zero, line 3, column 3, near `/'"},
		{NULL, "vm:::gc-start",
			"probe description vm:::gc-start does not match any probes (the provider's "
			"name ends in the pid: vm$target), column 1, near `vm:::gc-start'"},
		{NULL, "*:::gc__start",
			"probe description *:::gc__start does not match any probes (the probe's "
			"name "
			"is gc-start), column 1, near `*:::gc__start'"},
		{NULL, "gc_start",
			"probe description :::gc_start does not match any probes (the probe's name "
			"is "
			"gc-start), column 1, near `gc_start'"},
		{NULL, "begin { }",
			"probe description :::begin does not match any probes (the probe's name is "
			"BEGIN), column 1, near `begin'"},
		{NULL, "nosuch:::gc_start",
			"probe description nosuch:::gc_start does not match any probes (the "
			"provider of a process ends in its pid: nosuch$target, or nosuch* for any "
			"process), column 1, near `nosuch:::gc_start'"},
		{NULL, "syscall:::entry",
			"probe description syscall:::entry does not match any probes (provider "
			"syscall comes from the kernel), column 1, near `syscall:::entry'"},
		{NULL, "profile-97",
			"probe description :::profile-97 does not match any probes (profile "
			"probes come from the kernel, or from a VM that has the probe sample; "
			"tick-n works "
			"with every source), column 1, "
			"near `profile-97'"},
		{NULL, "", "empty D program translation unit"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		d_fixture_new_compiler(&fixture);
		ck_assert_int_lt(d_fixture_compile(&fixture, rows[i].file, rows[i].text), 0);
		ck_assert_str_eq(fixture.error.message.text, rows[i].message);
	}
}
END_TEST

START_TEST(tags_in_messages)
{
	fixture.compile_options.error_tags = true;
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { x; }"), 0);
	ck_assert_int_eq(
		strncmp(fixture.error.message.text, "[D_IDENT_UNDEF] in action list: ", 32), 0);
}
END_TEST

/* With a hostile text in it, a message is still one line of printable characters. */
START_TEST(hostile_text)
{
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { trace(1) \x1b[2J }"), 0);
	ck_assert_ptr_null(strchr(fixture.error.message.text, 0x1b));
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(
		d_parse_script(fixture.compiler, NULL, "BEGIN { \0 }", 11, &fixture.error), 0);
	ck_assert_str_eq(fixture.error.tag, "D_SYNTAX");
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { \xc2\x9b }"), 0);
	ck_assert_str_eq(fixture.error.message.text, "syntax error near \"?\", column 9");
}
END_TEST

/* A character is shown whole or not at all; a byte that is not part of one is shown as a byte. */
START_TEST(characters_in_messages)
{
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { \xff }"), 0);
	ck_assert_str_eq(fixture.error.message.text, "syntax error near \"\\xff\", column 9");
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL, "BEGIN { \xe2\x82 }"), 0);
	ck_assert_str_eq(fixture.error.message.text, "syntax error near \"\\xe2\", column 9");
	d_fixture_new_compiler(&fixture);
	ck_assert_int_lt(d_fixture_compile(&fixture, NULL,
				 "BEGIN { trace(1) \"12345678901234567890123\xc3\xa9xyz\"; }"),
		0);
	ck_assert_str_eq(fixture.error.message.text,
		"syntax error near \"\"12345678901234567890123...\": expected ; or }, column 18");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(
		tests, string_program, 0, (int)(sizeof(string_rows) / sizeof(string_rows[0])));
	tcase_add_loop_test(
		tests, file_program, 0, (int)(sizeof(file_rows) / sizeof(file_rows[0])));
	tcase_add_test(tests, messages);
	tcase_add_test(tests, tags_in_messages);
	tcase_add_test(tests, hostile_text);
	tcase_add_test(tests, characters_in_messages);
}
