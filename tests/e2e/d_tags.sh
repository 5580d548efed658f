#!/bin/bash
# The compiler raises every error tag of D's rules, and for each tag that it raises there is a
# program in tests/d that shows it. The index there names every folder, and nothing that does
# not exist.
# tests: src/d
set -u
status=0
fail() {
	echo "$*"
	status=1
}

# All tags of the language.
known='
D_ACT_SPEC D_ADDROF_BITFIELD D_ADDROF_LVAL D_ADDROF_VAR D_AGG_COMM D_AGG_FUNC D_AGG_MDIM D_AGG_NULL
D_AGG_REDEF D_AGG_SCALAR D_AGG_SPEC D_ALLOCA_INCOMPAT D_ALLOCA_SIZE D_ARGS_IDX D_ARGS_MULTI D_ARGS_NONE
D_ARGS_TYPE D_ARGS_XLATOR D_ARR_BADREF D_ARR_BOUNDS D_ARR_LOCAL D_ASRELO D_ATTR_MIN D_CAST_INVAL D_CG_DYN
D_CG_EXPR D_CHR_NL D_CHR_NULL D_CHR_OFLOW D_CLEAR_AGGARG D_CLEAR_AGGBAD D_CLEAR_PROTO D_COMM_DREC
D_DECL_ARRBIG D_DECL_ARRNULL D_DECL_ARRSUB D_DECL_BADCLASS D_DECL_BFCONST D_DECL_BFSIZE D_DECL_BFTYPE
D_DECL_CHARATTR D_DECL_CLASS D_DECL_COMBO D_DECL_DYNOBJ D_DECL_ENCONST D_DECL_ENOFLOW D_DECL_IDENT
D_DECL_IDRED D_DECL_INCOMPLETE D_DECL_LOCASSC D_DECL_LONGINT D_DECL_MNAME D_DECL_PARMCLASS
D_DECL_PROTO_FORM D_DECL_PROTO_NAME D_DECL_PROTO_TYPE D_DECL_PROTO_VARARGS D_DECL_PROTO_VOID D_DECL_SCOPE
D_DECL_SIGNINT D_DECL_TYPERED D_DECL_USELESS D_DECL_VOIDATTR D_DECL_VOIDOBJ D_DEREF_FUNC D_DEREF_NONPTR
D_DEREF_VOID D_DIV_ZERO D_DREC_COMM D_EMPTY D_EXIT_SPEC D_FREOPEN_INVALID D_FUNC_IDENT D_FUNC_IDKIND
D_FUNC_UNDEF D_IDENT_AMBIG D_IDENT_BADREF D_IDENT_UNDEF D_ID_OFLOW D_INT_DIGIT D_INT_OFLOW D_KEY_TYPE
D_LLQUANT_FACTORTYPE D_LLQUANT_FACTORVAL D_LLQUANT_HMAGTYPE D_LLQUANT_HMAGVAL D_LLQUANT_LMAGTYPE
D_LLQUANT_LMAGVAL D_LLQUANT_MATCHFACTOR D_LLQUANT_MATCHHMAG D_LLQUANT_MATCHLMAG D_LLQUANT_MATCHSTEPS
D_LLQUANT_STEPTYPE D_LLQUANT_STEPVAL D_LQUANT_BASETYPE D_LQUANT_BASEVAL D_LQUANT_LIMTYPE D_LQUANT_LIMVAL
D_LQUANT_MATCHBASE D_LQUANT_MATCHLIM D_LQUANT_MATCHSTEP D_LQUANT_MISMATCH D_LQUANT_STEPLARGE
D_LQUANT_STEPSMALL D_LQUANT_STEPTYPE D_LQUANT_STEPVAL D_MACRO_OFLOW D_MACRO_UNDEF D_MACRO_UNUSED
D_NORMALIZE_AGGARG D_NORMALIZE_AGGBAD D_NORMALIZE_PROTO D_NORMALIZE_SCALAR D_OBSOLETE1
D_OFFSETOF_BITFIELD D_OFFSETOF_TYPE D_OP_ACT D_OP_ARITH D_OP_ARRFUN D_OP_DYN D_OP_IDENT D_OP_INCOMPAT
D_OP_INCOMPLETE D_OP_INT D_OP_LVAL D_OP_PTR D_OP_SCALAR D_OP_SOU D_OP_VFPTR D_OP_WRITE D_PCAP_ADDR
D_PCAP_PROTO D_PCAP_SIZE D_PDESC_INVAL D_PDESC_ZERO D_PRAGCTL_INVAL D_PRAGERR D_PRAGMA_DEPEND
D_PRAGMA_INVAL D_PRAGMA_MALFORM D_PRAGMA_OPTSET D_PRAGMA_SCOPE D_PRAGMA_UNUSED D_PRED_SCALAR
D_PRINTA_AGGARG D_PRINTA_AGGBAD D_PRINTA_AGGKEY D_PRINTA_AGGPROTO D_PRINTA_PROTO D_PRINTF_AGG_CONV
D_PRINTF_ARG_EXTRA D_PRINTF_ARG_FMT D_PRINTF_ARG_PROTO D_PRINTF_ARG_TYPE D_PRINTF_DYN_PROTO
D_PRINTF_DYN_TYPE D_PRINTF_FMT_EMPTY D_PRINT_SIZE D_PROC_ALIGN D_PROC_BADPID D_PROC_BADPROV
D_PROC_CREATEFAIL D_PROC_DYN D_PROC_FUNC D_PROC_GRAB D_PROC_LIB D_PROC_NAME D_PROC_NODEV D_PROC_OFF
D_PROC_USDT D_PROTO_ARG D_PROTO_LEN D_PROV_BADNAME D_PROV_INCOMPAT D_PROV_PRARGLEN D_PROV_PRDUP
D_PROV_PRXLATOR D_QUANT_PROTO D_REGS_IDX D_SIZEOF_BITFIELD D_SIZEOF_TYPE D_SPEC_COMM D_SPEC_DREC
D_SPEC_SPEC D_STACK_PROTO D_STACK_SIZE D_STRINGOF_TYPE D_STR_NL D_SYM_BADREF D_SYM_MODEL D_SYM_NOTYPES
D_SYNTAX D_TRACEMEM_ADDR D_TRACEMEM_SIZE D_TRACE_DYN D_TRACE_VOID D_TRUNC_AGGARG D_TRUNC_AGGBAD
D_TYPE_ERR D_TYPE_MEMBER D_UNKNOWN D_USTACK_FRAMES D_USTACK_PROTO D_USTACK_STRSIZE D_VAR_UNDEF
D_VAR_UNSUP D_XLATE_INCOMPAT D_XLATE_MEMB D_XLATE_NOCONV D_XLATE_NONE D_XLATE_REDECL D_XLATE_SOU'

# Tags that nothing can raise here, and why.
never='
D_CLEAR_PROTO D_NORMALIZE_PROTO D_QUANT_PROTO D_STACK_PROTO D_USTACK_PROTO -- D_PROTO_LEN says it
D_OBSOLETE1 -- no rule is left of it
D_PCAP_ADDR D_PCAP_PROTO D_PCAP_SIZE -- of pcap(), which needs the packets of the kernel
D_PROC_ALIGN D_PROC_BADPID D_PROC_BADPROV D_PROC_CREATEFAIL D_PROC_DYN D_PROC_FUNC -- of the pid provider
D_PROC_GRAB D_PROC_LIB D_PROC_NAME D_PROC_NODEV D_PROC_OFF D_PROC_USDT -- of the pid provider
D_ASRELO -- of a symbol that is left for the linker; without a symbol table D_SYM_NOTYPES comes first
D_SYM_MODEL -- of a 32-bit module in a 64-bit program: there is one model, and no module whose types are known
D_IDENT_AMBIG -- of an enumerator of the left type that is also a global: the enumerators of a script are globals, so that one of the two is D_DECL_IDRED where it is declared; only the types of a kernel have others
D_VAR_UNSUP -- no variable is without a definition'
excused=$(sed 's/--.*//' <<<"$never")

words() {
	tr -s ' \n' '\n\n' | grep -v '^$' | sort -u
}
raised() {
	grep -rhoE '"D_[A-Z0-9_]+"' src/d --include='*.c' | tr -d '"' | sort -u
}
shown() {
	grep -rhoE '\[D_[A-Z0-9_]+\]' tests/d --include='*.err' | tr -d '[]'
	grep -rhoE '^=== D_[A-Z0-9_]+' tests/d --include='*.errors' | cut -c5-
}

for tag in $(comm -23 <(raised) <(words <<<"$known")); do
	fail "$tag is raised, but is not a tag of D"
done
for tag in $(comm -23 <(words <<<"$known") <(raised)); do
	grep -qw "$tag" <<<"$excused" || fail "$tag is never raised"
done
for tag in $(comm -12 <(words <<<"$excused") <(raised)); do
	fail "$tag is raised, although it is listed as impossible"
done
for tag in $(comm -23 <(raised) <(shown | sort -u)); do
	fail "$tag: no program in tests/d shows it"
done

# The index only names what exists: folders, and programs without their suffixes.
named=$(sed '1,/^----/d' tests/d/INDEX | cut -c51- | tr -s ' ' '\n' | grep .)
while IFS= read -r name; do
	[ -d "tests/d/$name" ] || compgen -G "tests/d/$name.*" >/dev/null ||
		fail "tests/d/INDEX: there is no $name"
done <<<"$named"
# The index names every folder.
for folder in tests/d/*/; do
	folder=$(basename "$folder")
	grep -qxF "$folder" <<<"$named" || fail "tests/d/INDEX: no $folder"
done
exit "$status"
