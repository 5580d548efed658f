/*
 * An omitted part matches anything: provider::: means all probes of a provider; module::name,
 * ::name and a name alone are aligned to the right.
 * @options -q
 */
vm$target:::
/n++ < 1/
{
	printf("provider: %s\n", probename);
}

::gc-start { printf("two colons\n"); }
:gc-start { printf("one colon\n"); }
gc-start { printf("the name alone\n"); }
vm$target:*:*:gc-start { printf("globs\n"); }
vm$target:toy::gc-start { printf("module\n"); }
