import { type Dialect, postgres } from './dialects.ts';

export const contentTables = (dialect: Dialect): readonly string[] => [
  `create table contents (
    id text primary key not null,
    name text not null,
    status text not null,
    key_version integer not null,
    size_bytes bigint,
    manifest_key text,
    metadata text not null,
    search_text text not null,
    created_at bigint not null,
    updated_at bigint not null,
    key_periods text,
    playlist_url text,
    imported_keys_revision bigint,
    registrant_scope text
  )`,
  'create index contents_by_created_at_id on contents (created_at, id)',
  'create index contents_by_status_created_at_id on contents (status, created_at, id)',
  'create index contents_by_created_at_and_text on contents (created_at, id, status, search_text)',
  `create index contents_by_search_text on contents (search_text ${dialect.bytes}, id, status)`,
  // On SQLite the primary key serves.
  ...(dialect === postgres ? [`create index contents_by_id_bytes on contents (id ${dialect.bytes})`] : []),
  // The epoch of the key without one is -1, because a part of a primary key cannot be null.
  `create table imported_keys (
    content_id text not null,
    epoch bigint not null,
    wrapped_key text not null,
    imported_at bigint not null,
    constraint imported_keys_pk primary key (content_id, epoch)
  )`,
  `create table key_versions (
    version integer primary key not null,
    fingerprint text not null,
    first_used_at bigint not null
  )`,
];
