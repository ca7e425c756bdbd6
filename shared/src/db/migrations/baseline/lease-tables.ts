import { type Dialect, postgres } from './dialects.ts';

// An index of open leases also holds the column of its condition: SQLite would look it up in the row.

export const leaseTables = (dialect: Dialect): readonly string[] => [
  `create table leases (
    id text primary key not null,
    viewer_id text not null,
    content_id text not null,
    device_id text,
    created_at bigint not null,
    renewed_at bigint,
    expires_at bigint not null,
    revoked_at bigint,
    revoked_by text,
    reason text
  )`,
  'create index leases_by_created_at_id on leases (created_at, id)',
  'create index leases_by_viewer_id_created_at_id on leases (viewer_id, created_at, id)',
  'create index leases_by_content_id_created_at_id on leases (content_id, created_at, id)',
  'create index leases_by_expires_at on leases (expires_at)',
  // Viewers by the beginning of their id. On SQLite the index by viewer and time serves.
  ...(dialect === postgres
    ? [`create index leases_by_viewer_id_bytes on leases (viewer_id ${dialect.bytes})`]
    : []),
  // Counts the active leases without reading a row.
  'create index leases_open_by_expires_at on leases (expires_at, revoked_at) where revoked_at is null',
  `create index leases_open_by_created_at on leases (created_at, id, expires_at, revoked_at)
    where revoked_at is null`,
  // Without the id, so that it stays half as large as the table and is worth reading to count the leases of one content.
  `create index leases_open_by_content_id on leases (content_id, created_at, expires_at, revoked_at)
    where revoked_at is null`,
  // Counts the leases of a viewer without reading a row: a test account, or a viewer of a broken player, has a great many.
  `create index leases_open_by_viewer_id on leases (viewer_id, created_at, expires_at, revoked_at)
    where revoked_at is null`,
  // A creation finds here what the viewer holds: its active leases, and the one of the same content and device. It ends where
  // the expired leases begin. Otherwise it would read every lease of the viewer that is not purged.
  `create index leases_open_by_viewer_id_expires_at on leases
    (viewer_id, expires_at, content_id, device_id, created_at, id, revoked_at) where revoked_at is null`,
  'create index leases_revoked_by_created_at on leases (created_at, id) where revoked_at is not null',
  `create index leases_revoked_by_content_id on leases (content_id, created_at, id)
    where revoked_at is not null`,
  `create table sessions (
    lease_id text primary key not null,
    secret_hash text not null,
    ttl_ms bigint not null,
    ends_at bigint not null,
    used_at bigint
  )`,
  // For the purge.
  'create index sessions_by_ends_at on sessions (ends_at)',
];

export const revocationTables = ({ counted }: Dialect): readonly string[] => [
  `create table marks (
    viewer_id text not null,
    content_id text not null,
    marked_at bigint not null,
    constraint marks_pk primary key (viewer_id, content_id)
  )`,
  'create index marks_by_marked_at on marks (marked_at)',
  'create index marks_by_content_id_marked_at on marks (content_id, marked_at)',
  `create table revocations (
    number ${counted},
    viewer_id text not null,
    content_id text not null,
    created_after bigint not null,
    revoked_up_to bigint not null,
    expiring_after bigint not null,
    revoked_at bigint not null,
    reason text,
    audit_number bigint,
    written bigint not null default 0,
    cursor_at bigint,
    cursor_id text,
    finished_at bigint
  )`,
  `create index revocations_by_content_id_viewer_id_revoked_up_to on revocations
    (content_id, viewer_id, revoked_up_to)`,
  'create index revocations_by_finished_at_number on revocations (finished_at, number)',
  // Small however many are kept: every look-up of a lease asks whether a revocation that is being written covers it.
  `create index revocations_unfinished on revocations (content_id, viewer_id, revoked_up_to, finished_at)
    where finished_at is null`,
];
