// Every metric of Latchkey, once: what a process exports, and what docs/reference/metrics.md says of it.

/** The description of a metric, for Prometheus and for docs/reference/metrics.md. */
export interface MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  /** In addition to `service`, which every series has. Optional. Default: none. */
  readonly labels?: readonly string[];
  /** A sentence for Prometheus and for the document. */
  readonly help: string;
  /** For the document: which value matters, and what to do. Markdown. */
  readonly lookAt: string;
}

/** Descriptions by the names of their metrics. */
type Catalogue = Readonly<Record<string, MetricDescription>>;

const traffic = {
  http_server_request_duration_seconds: {
    type: 'histogram',
    labels: ['route', 'method', 'status'],
    help: 'Duration of HTTP requests by route pattern, method and status.',
    lookAt:
      'p95 of `/keys/…` rises: database, Redis or other services are slow. Alert above 0.1 % of 5xx and 5 % of 4xx',
  },
  latchkey_key_requests_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Key requests that this process decided: served, or the code of the refusal.',
    lookAt:
      'the [error code](errors.md). `DEPENDENCY_UNAVAILABLE` grows: viewers wait. `INVALID_TOKEN` jumps: a clock, or a signing key was changed on one side only',
  },
  latchkey_unknown_token_keys_total: {
    type: 'counter',
    labels: ['route'],
    help: 'Requests answered 503 because the key set lacks the key that their token names, and was read less than 5 s ago. The dashboard and the rules for Prometheus do not count them as failed.',
    lookAt:
      'grows: somebody sends tokens with made-up `kid`s, or the issuer has changed its key without publishing it first',
  },
  latchkey_playlists_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Requests for playlists of session URLs: served, or the code of the refusal.',
    lookAt: '`DEPENDENCY_UNAVAILABLE` grows: a source is away, or serves no playlist. The log names it',
  },
  latchkey_rate_limited_requests_total: {
    type: 'counter',
    labels: ['limit'],
    help: 'Requests answered 429, by limit: keys, api, presign, leases or playlists.',
    lookAt:
      'grows for `keys` or `leases`: a player that loops, a sender that attacks, or a figure that is too low',
  },
  latchkey_shed_requests_total: {
    type: 'counter',
    labels: ['upstream', 'reason'],
    help: 'Requests answered 503 without being sent to a service or decided, by reason.',
    lookAt:
      '`no_address`: no process of the service is alive. `line_full` and `waited_too_long`: add replicas. Upstream `own`, reason `overloaded`: more came than this process can serve',
  },
  latchkey_upstream_errors_total: {
    type: 'counter',
    labels: ['upstream'],
    help: 'Calls to another service that failed.',
    lookAt: 'which `upstream`; then its `/ready` and the log',
  },
} as const satisfies Catalogue;

const authority = {
  latchkey_revocation_delay_seconds: {
    type: 'histogram',
    help: 'From the time of a change of authority until this process has applied it, pushed or pulled.',
    lookAt:
      'p99 above 1 s: NATS is lost, and the pull brings changes. Above `latchkey_feed_limit_seconds`: keys get 503',
  },
  latchkey_feed_age_seconds: {
    type: 'gauge',
    help: 'Time since this process last knew every change of authority. Absent before the first reading, and if the process follows no feed.',
    lookAt:
      'usually below 1. Above `latchkey_feed_limit_seconds`: keys get 503. The database, or the service that reads it, does not answer',
  },
  latchkey_feed_limit_seconds: {
    type: 'gauge',
    help: 'Age of the feed above which no cached state is believed: AUTHORITY_MAX_AGE_SECONDS.',
    lookAt: 'compare `latchkey_feed_age_seconds` with it',
  },
  latchkey_replica_unsure: {
    type: 'gauge',
    help: '1 where the change feed is older than its limit or was never read, so that states are not known; else 0.',
    lookAt: '1: this process serves no key by what it has cached',
  },
  latchkey_cache_hits_total: {
    type: 'counter',
    labels: ['cache'],
    help: 'States that the process knew, by cache.',
    lookAt: 'hits divided by hits and misses. A new replica starts low',
  },
  latchkey_cache_misses_total: {
    type: 'counter',
    labels: ['cache'],
    help: 'States that had to be read, by cache.',
    lookAt: 'stays high: more viewers than the memory holds; give the process more',
  },
  latchkey_cache_entries: {
    type: 'gauge',
    labels: ['cache'],
    help: 'Entries of a cache.',
    lookAt: 'how many viewers, leases and contents the process knows',
  },
  latchkey_cache_entries_max: {
    type: 'gauge',
    labels: ['cache'],
    help: 'About how many entries of the present average size fit into a cache. Absent while it is empty.',
    lookAt: '`latchkey_cache_entries` near it while misses grow: give the process more memory',
  },
  latchkey_cache_bytes: {
    type: 'gauge',
    labels: ['cache'],
    help: 'Estimated memory of the entries of a cache.',
    lookAt: 'near `latchkey_cache_bytes_max`: entries that were not used lately are dropped',
  },
  latchkey_cache_bytes_max: {
    type: 'gauge',
    labels: ['cache'],
    help: 'Memory limit of a cache. It follows from the memory of the process.',
    lookAt: 'a cache is full at this size',
  },
  latchkey_active_leases: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Leases that are neither expired nor revoked: of players (lease) and of session URLs (session). NaN if they could not be counted, absent if that took too long.',
    lookAt: 'how many play. Each lease process has the whole number: `max by (kind)`, not the sum',
  },
  latchkey_token_keys_age_seconds: {
    type: 'gauge',
    labels: ['issuer'],
    help: 'Time since the key set of an issuer was last read, or since the start if it never was. The issuer of AUTH_JWKS_URL is `default`. Absent without key sets.',
    lookAt:
      'usually below 300. Above 3600: tokens of this issuer get 503. Its identity provider does not answer',
  },
} as const satisfies Catalogue;

const dependencies = {
  latchkey_ready: {
    type: 'gauge',
    help: '1 if /ready answers 200, else 0.',
    lookAt: '0: load balancers send this process no requests',
  },
  latchkey_dependency_up: {
    type: 'gauge',
    labels: ['dependency'],
    help: '1 if the dependency works at least in part, 0 if it is down, by the checks of /ready.',
    lookAt: '0: [what happens](../design/failure-modes.md), by dependency. The log has the reason',
  },
  latchkey_dependency_degraded: {
    type: 'gauge',
    labels: ['dependency'],
    help: '1 if the dependency works in part only, else 0. A database that takes no writes is degraded.',
    lookAt: '1 for `database`: keys are served, changes get 503',
  },
  latchkey_database_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to Postgres, used or idle. Absent on SQLite.',
    lookAt: '`used` stays at `latchkey_database_connections_max`: statements are slow, or too many come',
  },
  latchkey_database_connections_max: {
    type: 'gauge',
    help: 'Maximum number of connections to Postgres. Absent on SQLite.',
    lookAt: 'times the processes: below `max_connections` of Postgres',
  },
  latchkey_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions that wait for a connection to Postgres. Absent on SQLite.',
    lookAt: 'above 0 for long: requests wait for the database, and get 503 after 2 s',
  },
  latchkey_audit_failures_total: {
    type: 'counter',
    help: 'Writes of refusals to the audit that failed, and runs of its forwarding that failed for a minute and longer.',
    lookAt:
      'grows: rows of refusals are missing, or [the audit](../operate/audit.md) waits to be sent. The log says which',
  },
  latchkey_webhook_tries_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Tries to send a message of a webhook: delivered, retried (it will be tried again) or failed (it will not).',
    lookAt:
      '`failed` grows: [a receiver](webhooks.md) was away for a day. The dashboard can replay its messages',
  },
  latchkey_webhook_messages_waiting: {
    type: 'gauge',
    help: 'Messages of webhooks that wait to be sent, at most 10,000 of each webhook.',
    lookAt: 'grows: a receiver is away, or slower than events come',
  },
  latchkey_purge_duration_seconds: {
    type: 'histogram',
    labels: ['table'],
    help: 'How long each step of a purge held its locks at most, by table.',
    lookAt:
      'above 0.05: requests may have waited for a purge. The disk is slow, or a statement of the purge is',
  },
  latchkey_purged_rows_total: {
    type: 'counter',
    labels: ['table'],
    help: 'Rows that were removed because their retention was over, by table.',
    lookAt: 'does not grow for hours while leases end: the purge fails, and the log says why',
  },
  latchkey_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space of the file system of the SQLite file, for users other than root. Absent on Postgres.',
    lookAt: 'below 10 % of `latchkey_disk_size_bytes`: on a full disk keys are served, changes get 503',
  },
  latchkey_disk_size_bytes: {
    type: 'gauge',
    help: 'Size of the file system of the SQLite file. Absent on Postgres.',
    lookAt: 'compare `latchkey_disk_free_bytes` with it',
  },
  latchkey_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    labels: ['file'],
    help: 'When the certificate in this file expires, in seconds since 1970. Of a chain the first one counts, of several CAs the last.',
    lookAt:
      'less than 14 days from now: renew [the file](../operate/tls.md). It is read again without a restart',
  },
  latchkey_master_key_call_duration_seconds: {
    type: 'histogram',
    labels: ['purpose', 'outcome'],
    help: 'Calls of the provider of the master key, if another system holds the key, for a key or to check that the provider answers, by outcome: answered, away, throttled or refused.',
    lookAt:
      'those for a `key` that are `answered` grow with the number of viewers and not of contents: the cache is too small. `refused`: credentials or policy ([custody](../operate/custody.md))',
  },
  latchkey_master_key_calls_waiting: {
    type: 'gauge',
    help: 'Calls that wait for their turn at the provider of the master key.',
    lookAt: 'stays above 0: it is slower than new contents come',
  },
  latchkey_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: '1, with the release of Latchkey and of Node.',
    lookAt: 'several versions at once: an upgrade is under way, or has stopped halfway',
  },
} as const satisfies Catalogue;

/** The metrics of reports that players send. */
const players = {
  latchkey_player_time_to_first_frame_seconds: {
    type: 'histogram',
    help: 'From load to the first frame.',
    lookAt: 'target: below 2 s',
  },
  latchkey_player_key_fetch_seconds: {
    type: 'histogram',
    help: 'A key request as the player sees it, the average of a report.',
    lookAt:
      'target: p95 below 0.1 s. Alert above 0.5 s. The figure of the server is lower: the rest is network',
  },
  latchkey_player_decrypt_seconds: {
    type: 'histogram',
    help: 'Decryption of a segment, the average of a report.',
    lookAt: 'target: below 0.005 s. A slow device, not the server',
  },
  latchkey_player_fragment_load_seconds: {
    type: 'histogram',
    help: 'Download of a segment, the average of a report.',
    lookAt: 'the CDN',
  },
  latchkey_player_key_fetches: {
    type: 'histogram',
    help: 'Key requests of a playback.',
    lookAt: 'many more than epochs: a player that does not keep keys',
  },
  latchkey_player_quality_switches: {
    type: 'histogram',
    help: 'Changes of level of a playback.',
    lookAt: 'the network of viewers, the ladder',
  },
  latchkey_player_fragments_loaded: {
    type: 'histogram',
    help: 'Segments of a playback.',
    lookAt: 'how long people watch',
  },
  latchkey_player_stalls: {
    type: 'histogram',
    help: 'Times that the buffer ran empty during a playback.',
    lookAt: 'target: 0',
  },
} as const satisfies Catalogue;

/** The metrics that Latchkey itself measures, by the sections of the document. */
export const catalogue = { traffic, authority, dependencies, players } as const;

export const describedMetrics = { ...traffic, ...authority, ...dependencies, ...players } as const;

export type MetricName = keyof typeof describedMetrics;
