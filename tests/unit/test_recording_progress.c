/* test_recording_progress.c: what vmtap record says of its size and rate, for given sizes and
 * times.
 */
#include <stdlib.h>
#include <string.h>

#include "source/recording_progress.h"
#include "unit_main.h"

START_TEST(lines_say_the_rate)
{
	struct recording_counts before = {0}, counts = {0};
	char line[256];

	counts.events = 1234;
	counts.bytes = 30000000;
	counts.stored = 5000000;
	counts.lost = 7;
	recording_progress_line(line, sizeof(line), &counts, &before, 2000, false);
	ck_assert_str_eq(line, "1234 events, 30.0 MB, 15.0 MB/s, 7 lost");
	before.bytes = 28000000;
	recording_progress_line(line, sizeof(line), &counts, &before, 1000, true);
	ck_assert_str_eq(line, "1234 events, 30.0 MB as 5.0 MB, 2.0 MB/s, 7 lost");
	recording_progress_line(line, sizeof(line), &counts, &counts, 0, false);
	ck_assert_str_eq(line, "1234 events, 30.0 MB, 0.0 MB/s, 7 lost");
}
END_TEST

START_TEST(large_and_fast_recordings_get_advice)
{
	char line[256] = "";

	ck_assert(!recording_progress_advice(line, sizeof(line), 63000000, 100));
	ck_assert(!recording_progress_advice(line, sizeof(line), 64000000, 4001));
	ck_assert_str_eq(line, "");
	ck_assert(recording_progress_advice(line, sizeof(line), 64000000, 4000));
	ck_assert_str_eq(line,
		"64 MB in 4.0 s: --samples records samples of time instead of every event, -n only "
		"some probes; --max-size and --rotate limit the file");
	ck_assert(recording_progress_advice(line, sizeof(line), 387000000, 2000));
	ck_assert_ptr_nonnull(strstr(line, "387 MB in 2.0 s: --samples"));
}
END_TEST

START_TEST(lines_become_rare)
{
	int64_t next = 0, shown = 0;

	ck_assert(!recording_progress_due(5000, true, &next)); /* a short recording has none */
	for (int64_t elapsed = 0; elapsed < 3600000; elapsed += 100)
		shown += recording_progress_due(elapsed, false, &next);
	ck_assert_int_eq(shown, 9); /* after 10, 20, 40, ... 2560 s */
	ck_assert(recording_progress_due(3600000, true, &next));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, lines_say_the_rate);
	tcase_add_test(tests, large_and_fast_recordings_get_advice);
	tcase_add_test(tests, lines_become_rare);
}
