/* @status 1 */
/* @options -xerrtags -i BEGIN */
/* -i takes numbers only. */
END
{
}
