import type { Dialect } from './dialects.ts';

export const apiKeyTables: readonly string[] = [
  `create table api_keys (
    id text primary key not null,
    name text not null,
    key_hash text not null unique,
    key_prefix text not null,
    scope text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  )`,
  'create index api_keys_by_created_at_id on api_keys (created_at, id)',
  // Every filter of the list but the last use, which changes too often to be in an index.
  `create index api_keys_by_created_at_and_facts on api_keys
    (created_at, id, scope, revoked_at, expires_at, key_prefix, name)`,
  // A key that never expires comes after all others: the number is Number.MAX_SAFE_INTEGER.
  `create index api_keys_by_expiry_and_facts on api_keys
    (coalesce(expires_at, 9007199254740991), id, scope, revoked_at, expires_at, created_at, key_prefix, name)`,
  'create index api_keys_by_revoked_at_expires_at on api_keys (revoked_at, expires_at)',
  // Keys that expire soon are looked for every few seconds, among all.
  'create index api_keys_by_expires_at on api_keys (expires_at)',
  `create table setup_claim (
    id integer primary key not null,
    touched_at bigint not null
  )`,
];

/** Rows of the audit that are kept for the same time. SQLite and Postgres use an index on it only for exactly this text. */
const kind = `case when outcome <> 'refused' then 'acts' when actor_kind = 'anonymous' then 'strangers' else 'refusals' end`;

export const auditTables = ({ counted }: Dialect): readonly string[] => [
  `create table audit (
    number ${counted},
    at bigint not null,
    actor_kind text not null,
    actor_id text,
    action text not null,
    target text,
    client_ip text,
    request_id text,
    outcome text not null,
    code text,
    affected bigint,
    count bigint,
    details text
  )`,
  'create index audit_by_action_number on audit (action, number)',
  'create index audit_by_actor_id_number on audit (actor_id, number)',
  'create index audit_by_actor_kind_number on audit (actor_kind, number)',
  'create index audit_by_outcome_number on audit (outcome, number)',
  'create index audit_by_target_number on audit (target, number)',
  'create index audit_by_at on audit (at)',
  `create index audit_by_kind_at on audit ((${kind}), at)`,
  `create table audit_readers (
    name text primary key not null,
    passed bigint not null default 0,
    waiting text not null default '[]',
    sent bigint not null default 0,
    sending text not null default '[]',
    sending_since bigint not null default 0
  )`,
  "insert into audit_readers (name) values ('forwarding'), ('webhooks')",
];

/**
 * On Postgres the only way in which a service removes rows of the audit. It runs with the rights of its owner, and never
 * removes a row of the last day.
 */
export const auditPurge: readonly string[] = [
  // A function with its owner's rights must find its tables whatever the caller's path is, and no temporary table of the caller.
  "select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
  `create function audit_purge(purged_kind text, before bigint, below bigint, most integer) returns bigint
    language plpgsql security definer set search_path from current as $body$
declare
  due bigint := least(before, (extract(epoch from clock_timestamp()) * 1000)::bigint - 86400000);
  removed bigint;
begin
  delete from audit where number in (
    select number from audit where (${kind}) = purged_kind and at < due and number < below
    order by at limit most for update skip locked);
  get diagnostics removed = row_count;
  return removed;
end $body$`,
  'revoke all on function audit_purge(text, bigint, bigint, integer) from public',
];

export const webhookTables: readonly string[] = [
  `create table webhooks (
    id text primary key not null,
    name text not null,
    url text not null,
    secret text not null,
    previous_secret text,
    previous_until bigint,
    events text not null,
    status text not null,
    paused_by text,
    expiring_to bigint not null default 0,
    dropped bigint not null default 0,
    deaf text not null default '[]',
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // The id is made of the webhook and the event: the same event twice is the same row.
  `create table webhook_deliveries (
    id text primary key not null,
    webhook_id text not null,
    type text not null,
    payload text not null,
    state text not null,
    created_at bigint not null,
    changed_at bigint not null,
    next_try_at bigint not null,
    tries integer not null default 0,
    last_try_at bigint,
    last_status integer,
    last_error text
  )`,
  // Due messages.
  'create index webhook_deliveries_by_state on webhook_deliveries (webhook_id, state, next_try_at)',
  // The two lists: all, and those in one state.
  'create index webhook_deliveries_by_created_at on webhook_deliveries (webhook_id, created_at, id)',
  `create index webhook_deliveries_by_state_created_at on webhook_deliveries
    (webhook_id, state, created_at, id)`,
  // The retention.
  'create index webhook_deliveries_by_changed_at on webhook_deliveries (changed_at)',
  `create table alerts (
    id text primary key not null,
    severity text not null,
    title text not null,
    advice text not null,
    started_at bigint not null,
    seen_at bigint not null
  )`,
];

export const usageTables = ({ keyOnly }: Dialect): readonly string[] => [
  // The key is in the order of the queries: one kind over a time.
  `create table usage_counts (
    span bigint not null,
    requests text not null,
    kind text not null,
    at bigint not null,
    series text not null,
    served bigint not null,
    refused bigint not null,
    constraint usage_counts_pk primary key (span, requests, kind, at, series)
  ) ${keyOnly}`,
  `create table usage_reports (
    id text primary key not null,
    written_at bigint not null
  )`,
  'create index usage_reports_by_written_at on usage_reports (written_at)',
];
