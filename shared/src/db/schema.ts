import type { Generated } from 'kysely';
import type { AlertTable, WebhookDeliveryTable, WebhookTable } from './webhook-tables.ts';

// Times are milliseconds since 1970 in 64-bit integers and JSON is text, on both databases: one mapping, no time zone.

export interface ApiKeyTable {
  id: string;
  name: string;
  /** SHA-256 of the raw key, 64 hex digits. */
  key_hash: string;
  key_prefix: string;
  scope: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** An object of texts as JSON; null for none. */
  metadata: string | null;
  /** Ids and prefixes of contents as JSON, for a key whose `scope` is limited; null for all contents. */
  contents: string | null;
}

/** One row. Its lock makes setup and the creation of keys take turns. */
interface SetupClaimTable {
  id: number;
  touched_at: number;
}

export interface AuditTable {
  number: Generated<number>;
  at: number;
  actor_kind: string;
  actor_id: string | null;
  /** Whom a proxy with sign-on named (`DASHBOARD_USER_HEADER`). */
  person: string | null;
  action: string;
  target: string | null;
  client_ip: string | null;
  request_id: string | null;
  outcome: string;
  code: string | null;
  /** Number of leases that the act revoked, once their rows are written. */
  affected: number | null;
  /** How many refusals the row counts; null for one. */
  count: number | null;
  /** `AuditDetails` as JSON; null for none. */
  details: string | null;
}

/** How far the audit was read in the background, by `forwarding` and by `webhooks`. */
interface AuditReaderTable {
  name: string;
  /** Every row up to this number was read, or waits. */
  passed: Generated<number>;
  /** JSON: see `ReadingPlace`. */
  waiting: Generated<string>;
  /** Of the forwarding: how many rows the receiver has confirmed. */
  sent: Generated<number>;
  /** Numbers of the rows that are being sent, as JSON, and since when. */
  sending: Generated<string>;
  sending_since: Generated<number>;
}

export interface LeaseTable {
  id: string;
  viewer_id: string;
  content_id: string;
  device_id: string | null;
  created_at: number;
  renewed_at: number | null;
  expires_at: number;
  revoked_at: number | null;
  revoked_by: string | null;
  reason: string | null;
}

/** The members of a playback session that its lease lacks. */
interface SessionTable {
  lease_id: string;
  /** SHA-256 of the secret in its URL, 64 hex digits. */
  secret_hash: string;
  /** How long a use extends the lease. */
  ttl_ms: number;
  /** No use extends the lease beyond this time. */
  ends_at: number;
  /** The last reported use; null before the first. */
  used_at: number | null;
}

/** A revocation that outlasts the leases. An empty id means any: no viewer and no content has an empty id. */
interface MarkTable {
  viewer_id: string;
  content_id: string;
  marked_at: number;
}

/** A viewer that gets nothing, whatever its token. */
interface ViewerBlockTable {
  viewer_id: string;
  blocked_at: number;
  /** Null: until it is lifted. */
  blocked_until: number | null;
  reason: string | null;
}

/**
 * A revocation by viewer, content or both. From its commit on, it revokes the leases it names that were created in
 * (`created_after`, `revoked_up_to`] and expire after `expiring_after`. An empty id means any.
 */
export interface RevocationTable {
  /** Two revocations can name the same lease: the lower number is the one that revokes it. */
  number: Generated<number>;
  viewer_id: string;
  content_id: string;
  created_after: number;
  revoked_up_to: number;
  expiring_after: number;
  revoked_at: number;
  reason: string | null;
  /** The row of the audit that gets the number of leases once they are written. */
  audit_number: number | null;
  /** Rows of leases written so far. They are written newest first, and the cursor is the last one. */
  written: Generated<number>;
  cursor_at: number | null;
  cursor_id: string | null;
  /** When the last row was written; null until then. */
  finished_at: number | null;
}

export interface ContentTable {
  id: string;
  name: string;
  status: string;
  key_version: number;
  size_bytes: number | null;
  manifest_key: string | null;
  metadata: string;
  /** JSON of `KeyPeriods`; null without periods. */
  key_periods: string | null;
  /** Null where the content has no playlist for sessions. */
  playlist_url: string | null;
  /** Rises with each change of its imported keys; null before the first. */
  imported_keys_revision: number | null;
  /** Of the API key that registered it; null where that is not known. */
  registrant_scope: string | null;
  /** Name and id with their case folded here, because the two databases fold it differently. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** A key that is served in place of the derived one. */
interface ImportedKeyTable {
  content_id: string;
  /** -1 for the key without an epoch. */
  epoch: number;
  /** Wrapped under the content's version of the master key: 48 hex digits, see `wrapContentKey`. */
  wrapped_key: string;
  imported_at: number;
}

interface KeyVersionTable {
  version: number;
  /** 16 hex digits, see `deriveFingerprint`. */
  fingerprint: string;
  first_used_at: number;
}

/** The change feed: one row for each change of authority, numbered without gaps. */
interface ChangeTable {
  number: number;
  at: number;
  change: string;
  /** 32 random hex digits. */
  id: string;
  /** The id of the row before; null where that was removed. */
  previous: string | null;
}

interface ChangeCounterTable {
  id: number;
  number: number;
  /** 32 random hex digits. Renewed when an operator reports that the database was restored. */
  history: string;
  /** The highest number that a request waits for, see `FollowerTable`; null before the first wait. */
  awaited: number | null;
}

/** One row for each process that follows the change feed: see `shared/src/events/feed-roster.ts`. */
interface FollowerTable {
  /** Random, new with each start of the process. */
  process: string;
  /** Its `AUTHORITY_MAX_AGE_SECONDS`, in milliseconds. */
  limit_ms: number;
  /** The history of the feed in which it has applied changes; null before the first report. */
  history: string | null;
  /** It has applied every change up to this number. Written only while somebody waits. */
  applied: number;
  /** By the database's clock, milliseconds since 1970: no report came although one was due. Null: it reports. */
  suspect_since: number | null;
}

/** One row for each answer that is kept for requests with the same `Idempotency-Key`: see `shared/src/idempotency`. */
interface IdempotencyKeyTable {
  /** SHA-256 of the credential's id, the route and the key, 64 hex digits. */
  id: string;
  /** SHA-256 of the request's body, 64 hex digits. */
  body_hash: string;
  answered_at: number;
  status: number;
  /** The body of the answer as JSON, without its secrets. */
  answer: string;
}

interface ReadyProbeTable {
  id: number;
  at: number;
}

/** Requests of one interval and series. */
interface UsageCountTable {
  /** Length of the interval in seconds: 60, 600 or 3,600. Each request is in one row of each length. */
  span: number;
  /** `keys` or `leases`. */
  requests: string;
  /** `total`, `code`, `content`, `viewer` or `api-key`. */
  kind: string;
  /** Start of the interval: a multiple of its length. */
  at: number;
  /** A code or an id. Empty for `total`, and for all series of the interval without a row of their own. */
  series: string;
  served: number;
  refused: number;
}

/** A part of a report that was written, so that it is not counted twice. */
interface UsageReportTable {
  id: string;
  written_at: number;
}

/** One row: the time by which purges remove rows (`purge-clock.ts`). All in milliseconds. */
export interface PurgeClockTable {
  id: number;
  /** Since 1970. 0 before the first run. */
  trusted_at: number;
  /** The last time of a clock that has stepped ahead of it, since 1970; 0 if none has. */
  step_at: number;
  /** For how long that clock has gone on. */
  step_lasted_ms: number;
}

export interface Schema {
  api_keys: ApiKeyTable;
  setup_claim: SetupClaimTable;
  audit: AuditTable;
  audit_readers: AuditReaderTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  alerts: AlertTable;
  leases: LeaseTable;
  sessions: SessionTable;
  marks: MarkTable;
  viewer_blocks: ViewerBlockTable;
  revocations: RevocationTable;
  contents: ContentTable;
  imported_keys: ImportedKeyTable;
  key_versions: KeyVersionTable;
  changes: ChangeTable;
  change_counter: ChangeCounterTable;
  followers: FollowerTable;
  auth_idempotency_keys: IdempotencyKeyTable;
  lease_idempotency_keys: IdempotencyKeyTable;
  ready_probe: ReadyProbeTable;
  usage_counts: UsageCountTable;
  usage_reports: UsageReportTable;
  purge_clock: PurgeClockTable;
}
