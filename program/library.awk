# SPDX-License-Identifier: Apache-2.0
# library.tsv -> library.inc: elements of an array of struct library_function

function bad(why)
{
	print "library.tsv:" NR ": " why > "/dev/stderr"
	exit 1
}

# A list of numbers of arguments as a set of bits.
function arguments(list, i, set)
{
	for (i = 1; list != "-" && i <= length(list); i++)
		set += 2 ^ (substr(list, i, 1) - 1)
	return set + 0
}

BEGIN {
	FS = "\t"
	ends["-"] = "CALLEE_ANY"
	ends["returns"] = "CALLEE_RETURNS"
	ends["dies"] = "CALLEE_DIES"
	ends["leaves"] = "CALLEE_LEAVES"
	threads["-"] = callbacks["-"] = callbacks["some"] = handlers["-"] = ""
	threads["none"] = " | NAME_ALONE"
	threads["new"] = " | NAME_THREADS"
	callbacks["none"] = " | NAME_QUIET"
	handlers["argument"] = " | NAME_HANDLES | NAME_HANDLER"
	handlers["struct"] = " | NAME_HANDLES | NAME_HANDLER_STRUCT"
	handlers["any"] = " | NAME_HANDLES"
	print "/* Made from library.tsv. */"
}

/^#/ { next }

NF != 7 || !($2 in ends) || !($3 in threads) || !($4 in callbacks) || !($5 in handlers) || $6 !~ /^(-|[1-3]+:(-|[1-3]+))$/ {
	bad("bad row")
}

$1 <= last { bad("not in order") }

{
	last = $1
	does = threads[$3] callbacks[$4] handlers[$5]
	n = $7 == "-" ? 0 : split($7, word, ",")
	for (i = 1; i <= n; i++) {
		gsub(/-/, "_", word[i])
		does = does " | NAME_" toupper(word[i])
	}
	split($6 ":-", set, ":")
	printf "{\"%s\", %s, %s, {%d, %d}},\n", $1, ends[$2], does ? substr(does, 4) : "0", arguments(set[1]), arguments(set[2])
}
