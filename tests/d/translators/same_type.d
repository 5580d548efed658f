/*
 * A struct may be cast to its own type, as old translators do with their input; * of a
 * translated pointer is the translated struct, and sizeof gives its size.
 * @options -q
 */
struct input { int i; char c; } in;
struct output { int oi; char oc; } out;
typedef struct input input_t;
translator struct output < struct input i > {
	oi = ((struct input)i).i;
	oc = ((input_t)i).c;
};
inline struct output *OUT = xlate<struct output *>(in);

BEGIN, END
{
	in.i = 100;
	in.c = 'z';
	printf("%d %c\n", xlate<struct output>(in).oi, xlate<struct output *>(in)->oc);
	printf("%d %c\n", (*xlate<struct output *>(in)).oi, (*OUT).oc);
	out = xlate<struct output>((input_t)in);
	printf("%d %c %d\n", out.oi, out.oc, ((struct output)out).oi);
	printf("%d %d\n", sizeof(xlate<struct output>(in)), sizeof(*OUT));
	copy = (struct input)in;
	printf("%d\n", copy.i);
}

BEGIN
{
	exit(0);
}
