/*
 * alloc_by_site.d: where objects are allocated: bytes and objects by line and class
 *
 *     $ vmtap trace alloc_by_site --lossless -c 'toy json.toy'
 *     FILE                               LINE CLASS                       BYTES      OBJECTS
 *     ...
 *     json.toy                            142 (string)                   145178         3950
 *     json.toy                             59 (hash)                     532224         2016
 *     json.toy                             33 (string)                   618744        17851
 *     json.toy                            108 (string)                   756294        19992
 *     json.toy                            110 (string)                   757512        19992
 *     json.toy                            102 (array)                    959616        19992
 *
 * The line is the one that runs when the object is created. Arrays, hashes and strings
 * have probes of their own and are shown as (array), (hash) and (string). The lines that
 * take the most bytes come last.
 */
#pragma D option quiet

vm$target:::object-create
{
	@objects[copyinstr(arg2), arg3, copyinstr(arg0)] = count();
	@bytes[copyinstr(arg2), arg3, copyinstr(arg0)] = sum(arg1);
}

vm$target:::array-create
{
	@objects[copyinstr(arg1), arg2, "(array)"] = count();
	@bytes[copyinstr(arg1), arg2, "(array)"] = sum(arg3);
}

vm$target:::hash-create
{
	@objects[copyinstr(arg1), arg2, "(hash)"] = count();
	@bytes[copyinstr(arg1), arg2, "(hash)"] = sum(arg3);
}

vm$target:::string-create
{
	@objects[copyinstr(arg1), arg2, "(string)"] = count();
	@bytes[copyinstr(arg1), arg2, "(string)"] = sum(arg3);
}

END
{
	printf("%-32s %6s %-20s %12s %12s\n", "FILE", "LINE", "CLASS", "BYTES", "OBJECTS");
	printa("%-32s %6d %-20s %@12d %@12d\n", @bytes, @objects);
}
