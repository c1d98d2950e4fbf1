/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c - inserts, an index, joins and aggregates in memory */
#include <sqlite3.h>
#include <stdio.h>
#include "corpus.h"

/* The names of temporary files are random. */
static const char program[] =
	"pragma temp_store = memory;"
	"create table t(a integer primary key, b text, c integer);"
	"with recursive n(x) as (select 1 union all select x + 1 from n where x < %d)"
	" insert into t select x, hex(x * 7919 %% 10007), x %% 97 from n;"
	"create index i on t(b);"
	"select count(*), sum(c), max(b) from t where b like '3%%';"
	"select c, count(*), group_concat(a) from t where a < 3000 group by c order by 2 desc, 1 limit 5;"
	"select count(*) from t x join t y on x.b = y.b where x.a < 4000;"
	"update t set b = upper(b) || c where a %% 3 = 0;"
	"select count(distinct b), sum(length(b)) from t;";

static int row(void *user, int n, char **values, char **names)
{
	(void)user;
	(void)names;
	for (int i = 0; i < n; i++)
		printf("%.40s ", values[i] ? values[i] : "null");
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	sqlite3 *db;
	char *message = NULL, sql[sizeof program + 16];

	(void)argv;
	snprintf(sql, sizeof sql, program, (int)corpus_size(argc, 100000));
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 1;
	if (sqlite3_exec(db, sql, row, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	sqlite3_close(db);
	return 0;
}
