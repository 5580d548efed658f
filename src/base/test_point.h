/*
 * test_point.h: marks a place where a process may be killed in the middle of something. In the
 * build of the survival rig (tests/survive), each place ends the process once; in every other
 * build the macro is nothing. A name says what has just been done.
 */
#ifndef BASE_TEST_POINT_H
#define BASE_TEST_POINT_H

#ifdef VMTAP_TEST_POINTS
/* Programs of that build that are not killed lack it. */
void vmtap_test_point(const char *name) __attribute__((weak));
#define TEST_POINT(name) (vmtap_test_point ? vmtap_test_point(name) : (void)0)
#else
#define TEST_POINT(name) ((void)0)
#endif

#endif
