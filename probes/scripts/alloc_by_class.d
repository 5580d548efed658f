/*
 * alloc_by_class.d: the objects and bytes allocated, by class
 *
 *     $ vmtap trace alloc_by_class --lossless -c 'toy json.toy'
 *     CLASS                                     BYTES      OBJECTS
 *     JsonError                                    48            1
 *     JsonWriter                                   64            2
 *     Thread                                      216            1
 *     JsonParser                                 2064           43
 *     (hash)                                   532488         2017
 *     (array)                                  971840        20135
 *     (string)                                2351176        63238
 *
 * Arrays, hashes and strings have probes of their own and are shown as (array), (hash)
 * and (string). The classes that take the most bytes come last.
 */
#pragma D option quiet

vm$target:::object-create
{
	@objects[copyinstr(arg0)] = count();
	@bytes[copyinstr(arg0)] = sum(arg1);
}

vm$target:::array-create
{
	@objects["(array)"] = count();
	@bytes["(array)"] = sum(arg3);
}

vm$target:::hash-create
{
	@objects["(hash)"] = count();
	@bytes["(hash)"] = sum(arg3);
}

vm$target:::string-create
{
	@objects["(string)"] = count();
	@bytes["(string)"] = sum(arg3);
}

END
{
	printf("%-32s %14s %12s\n", "CLASS", "BYTES", "OBJECTS");
	printa("%-32s %@14d %@12d\n", @bytes, @objects);
}
