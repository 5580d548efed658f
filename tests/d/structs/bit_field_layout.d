/* A bit-field is aligned to its unit of 1, 2, 4 or 8 bytes, and the next member starts after the
 * last byte that its bits need. A struct ends with its last member, a bit-field's whole unit. */
#pragma D option quiet
struct first { int a:20; int b:3; };
struct small { int a:3; int b:3; };
struct wide { int a:20; int b:20; };
struct three { int a:20; short s; };
struct five { long a:33; char c; };
struct six { long a:41; short s; };
struct seven { long a:50; char c; };
struct eight { long a:57; char c; };
struct last { char c; int a:20; };
struct alone { int a:20; };
struct gaps { char c; int :20; char d; int :0; char e; int :3; char f; };
struct gap_last { char c; int :20; };
struct nested { struct first one; char c; };
struct many { struct alone list[3]; char c; };
union both { int a:20; char c; };
union long_both { long a:33; char c; };
struct of_union { union both u; char c; };
struct unsigned_ones { uint8_t a:7; uint16_t b:9; uint32_t c:17; uint64_t d:63; };
struct mixed { long long a; char b; long long c; int d:9; char e; };
struct place { struct six before; char offset; };
BEGIN
{
	printf("%d %d %d %d\n", sizeof(struct first), sizeof(struct small), sizeof(struct wide),
	    sizeof(struct three));
	printf("%d %d\n", sizeof(struct five), offsetof(struct five, c));
	printf("%d %d\n", sizeof(struct six), offsetof(struct six, s));
	printf("%d %d\n", sizeof(struct seven), offsetof(struct seven, c));
	printf("%d %d\n", sizeof(struct eight), offsetof(struct eight, c));
	printf("%d %d\n", sizeof(struct last), sizeof(struct alone));
	printf("%d %d %d %d\n", sizeof(struct gaps), offsetof(struct gaps, d),
	    offsetof(struct gaps, e), offsetof(struct gaps, f));
	printf("%d\n", sizeof(struct gap_last));
	printf("%d %d\n", sizeof(struct nested), offsetof(struct nested, c));
	printf("%d %d\n", sizeof(struct many), offsetof(struct many, c));
	printf("%d %d %d\n", sizeof(union both), sizeof(union long_both),
	    offsetof(struct of_union, c));
	printf("%d %d %d\n", sizeof(struct unsigned_ones), sizeof(struct mixed),
	    offsetof(struct mixed, e));
	printf("%d\n", offsetof(struct place, offset));
	exit(0);
}
