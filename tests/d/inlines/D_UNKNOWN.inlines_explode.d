/*
 * Inlines that each use another one twice: the size of the result is limited.
 * @status 1
 * @options -x errtags
 */
int x;
inline int I0 = x + x;
inline int I1 = I0 + I0;
inline int I2 = I1 + I1;
inline int I3 = I2 + I2;
inline int I4 = I3 + I3;
inline int I5 = I4 + I4;
inline int I6 = I5 + I5;
inline int I7 = I6 + I6;
inline int I8 = I7 + I7;
inline int I9 = I8 + I8;
inline int I10 = I9 + I9;
inline int I11 = I10 + I10;
inline int I12 = I11 + I11;
inline int I13 = I12 + I12;
inline int I14 = I13 + I13;
inline int I15 = I14 + I14;
inline int I16 = I15 + I15;
inline int I17 = I16 + I16;
inline int I18 = I17 + I17;
inline int I19 = I18 + I18;
inline int I20 = I19 + I19;
inline int I21 = I20 + I20;
inline int I22 = I21 + I21;
inline int I23 = I22 + I22;

BEGIN
{
	trace(I23);
}
