/* A small program on top of Debian's prebuilt SQLite: count words, find the most frequent. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *db;

static void run(const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "demo: %s\n", message);
		exit(1);
	}
}

int main(void)
{
	sqlite3_stmt *stmt;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 1;
	run("create table t(word text, n integer)");
	run("with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)"
	    " insert into t select hex(x * x % 97), x from c");
	run("create index i on t(word)");
	sqlite3_prepare_v2(db,
		"select word, count(*), sum(n) from t group by word order by 2 desc, 1 limit 3", -1, &stmt,
		NULL);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		printf("%s %d %lld\n", sqlite3_column_text(stmt, 0), sqlite3_column_int(stmt, 1),
			(long long)sqlite3_column_int64(stmt, 2));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return 0;
}
