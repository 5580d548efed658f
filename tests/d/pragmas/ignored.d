/*
 * Lines without an effect, and forms that #, #pragma and #pragma D have in common.
 * @options -xerrtags
 * @status 1
 */
#
#pragma
#pragma D
#pragma ident "x"
#pragma D ident "x"
#ident
#pragma option nosuch
#pragma once
#pragma D option quiet
BEGIN { exit(0); }
#pragma line 40
#pragma D line 50 "other.d"
BEGIN { trace(nosuch); }
