import type { Dialect } from './dialects.ts';

/** The tables that every service with rows uses. */
export const commonTables = ({ randomId }: Dialect): readonly string[] => [
  `create table changes (
    number bigint primary key not null,
    at bigint not null,
    change text not null,
    id text not null,
    previous text
  )`,
  'create index changes_by_at on changes (at)',
  `create table change_counter (
    id integer primary key not null,
    number bigint not null,
    history text not null
  )`,
  `insert into change_counter (id, number, history) values (1, 0, ${randomId})`,
  `create table ready_probe (
    id integer primary key not null,
    at bigint not null
  )`,
  'insert into ready_probe (id, at) values (1, 0)',
  `create table purge_clock (
    id integer primary key not null,
    trusted_at bigint not null,
    step_at bigint not null,
    step_lasted_ms bigint not null
  )`,
  'insert into purge_clock (id, trusted_at, step_at, step_lasted_ms) values (1, 0, 0, 0)',
];
