# SPDX-License-Identifier: Apache-2.0
# options.tsv -> options.inc: the option names as X-macro rows
#   OPTION(enum name, "name", dashes, arg, class, "known", lld, enum name of `same')

function ident(s)
{
	gsub(/\(/, "lparen", s)
	gsub(/\)/, "rparen", s)
	gsub(/_/, "__", s) # two names may differ by this only
	gsub(/[^A-Za-z0-9]/, "_", s)
	return s
}

BEGIN {
	FS = "\t"
	dashes["-"] = "DASH_ONE"
	dashes["--"] = "DASH_TWO"
	dashes["-,--"] = "DASH_ONE | DASH_TWO"
	dashes["z"] = "0"
	print "/* Made from options.tsv. */"
}

/^#/ { next }

NF != 7 || !($2 in dashes) {
	print "options.tsv:" NR ": bad row" > "/dev/stderr"
	exit 1
}

{
	printf "OPTION(%s, \"%s\", %s, ARG_%s, CLASS_%s, \"%s\", LLD_%s, %s)\n",
		ident($1), $1, dashes[$2], $3, $4, $5, $6, ident($7)
}
