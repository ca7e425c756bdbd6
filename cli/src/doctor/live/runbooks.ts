/** What a finding is about, as far as a page of `docs/runbooks` tells what to do. */
export type RunbookTopic =
  | 'readiness'
  | 'missing'
  | 'feed'
  | 'revocation'
  | 'clock'
  | 'key-errors'
  | 'key-latency';

/** Paths in the repository. Only pages that exist. */
export const runbooks: Partial<Record<RunbookTopic, string>> = {};
