/** What a finding is about, if a page tells what to do. */
export type RunbookTopic =
  | 'readiness'
  | 'missing'
  | 'feed'
  | 'revocation'
  | 'clock'
  | 'key-errors'
  | 'key-refusals'
  | 'key-latency'
  | 'database'
  | 'database-writes'
  | 'cache'
  | 'bus';

/** Paths in the repository. */
export const runbooks: Readonly<Record<RunbookTopic, string>> = {
  readiness: 'docs/runbooks/latchkey-service-unreachable.md',
  missing: 'docs/runbooks/latchkey-process-down.md',
  feed: 'docs/runbooks/latchkey-feed-old.md',
  revocation: 'docs/runbooks/latchkey-revocations-late.md',
  'key-errors': 'docs/runbooks/latchkey-keys-fail.md',
  'key-refusals': 'docs/runbooks/latchkey-keys-refused.md',
  'key-latency': 'docs/runbooks/latchkey-keys-slow.md',
  database: 'docs/runbooks/latchkey-database-down.md',
  'database-writes': 'docs/runbooks/latchkey-database-read-only.md',
  cache: 'docs/runbooks/latchkey-redis-down.md',
  bus: 'docs/runbooks/latchkey-nats-down.md',
  clock: 'docs/operations.md#clocks',
};
