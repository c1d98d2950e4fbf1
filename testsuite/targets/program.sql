-- what a database has: types, indices, joins, recursion, windows, triggers, JSON, full text, R*Trees, errors
create table item(id integer primary key, name text not null collate nocase, price real check (price >= 0), kind int references kind);
create table kind(id integer primary key, name text unique);
create index by_kind on item(kind, price desc);
create index by_size on item(length(name)) where price > 50;
insert into kind select value, 'kind ' || value from json_each('[1,2,3,4,5,6,7]');
with recursive n(x) as (select 1 union all select x + 1 from n where x < 1500)
 insert into item select x, printf('%c%05x-%s', 65 + x % 26, x * 7919 % 10007, hex(x)), x * 37 % 1009 / 8.0, x % 9 from n;
.mode column
select kind.name, count(*), sum(price), avg(length(item.name)), min(item.name), max(price) from item join kind on kind.id = item.kind group by kind.id order by 3 desc;
.mode list
select count(*) from item left join kind on kind.id = item.kind where kind.id is null;
select name, price, rank() over w, sum(price) over (w rows 2 preceding), lag(name) over w from item where id < 30 window w as (partition by kind order by price) order by kind, price limit 20;
select count(*) from item a join item b on a.name < b.name and a.kind = b.kind where a.price between 20 and 30 and b.price > 120;
select * from item where name like 'q%' and price in (select price from item where kind = 3) order by name desc limit 3;
select id from item where id < 100 except select id from item where id % 3 intersect select id from item where id > 50 order by 1;
explain query plan select * from item where kind = 3 and price > 100 order by price;
create table log(what, n);
create trigger changed after update of price on item when new.price > old.price begin insert into log values (new.name, round(new.price - old.price, 3)); end;
create view dear as select * from item where price > 120;
begin; update item set price = price * 1.5 where id % 7 = 0; savepoint s; delete from item where id % 2; select count(*) from item; rollback to s; commit;
select count(*), sum(n) from log; select count(*) from dear;
insert into kind values (1, 'again') on conflict (id) do update set name = excluded.name || '!' returning *;
insert into kind values (1, 'once more');
insert into item values (9999, null, 1, 1); insert into item values (9999, 'x', -1, 1); select nothing from item; select 1 +; select abs(-9223372036854775807 - 1);
select json_object('a', json_array(1, 2.5, null, 'x"y'), 'b', json('{"c":[1,{"d":2}]}')) ->> '$.b.c[1].d', json_group_array(name) from kind;
select typeof(1), typeof(1.5), typeof('a'), typeof(x'00'), typeof(null), cast('12abc' as int), 7 / 2, 7 % -3, 7.0 / 2, 1 << 40, ~5, '10' + 5, 1e300 * 1e10, round(2.675, 2), 0.1 + 0.2;
select substr('hello', -3, 2), replace('aXbXc', 'X', '--'), trim('  a '), instr('abcabc', 'ca'), upper('é a'), quote(x'0aff'), unicode('€'), char(8364), glob('a*[b-d]', 'axxc'), hex(zeroblob(3));
select date('2024-02-28', '+2 days'), julianday('2000-01-01'), strftime('%j %W %s', '2023-07-04 12:34:56'), time('12:00', '-90 minutes'), datetime(1e9, 'unixepoch');
select group_concat(x, '') from (with recursive m(i, x, y, r, s) as (select 0, -2.0, 0.5, 0.0, 0.0 union all select i + 1, x, y, r * r - s * s + x, 2 * r * s + y from m where i < 30 and r * r + s * s < 4) select i % 10 as x from m);
alter table item rename column price to cost; alter table item add column more text default 'm'; alter table item drop column more; select * from item limit 2;
create table w(a, b, primary key (a, b)) without rowid; insert into w select id % 50, name from item; select count(*), sum(a) from w; vacuum; reindex; analyze; select count(*) from sqlite_stat1; pragma integrity_check; pragma foreign_key_check(kind);
.dump kind
.schema item
.mode insert
select * from item limit 2;
.mode json
select * from item limit 2;
.mode box
select * from item limit 2;
.mode csv
select * from item limit 2;
