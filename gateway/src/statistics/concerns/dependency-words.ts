const known: Record<string, readonly [name: string, advice: string]> = {
  database: [
    'The database',
    'While it can be read, keys are served and changes get 503. Otherwise keys are served for a few seconds from cached states. Is it running and reachable? Is its disk full?',
  ],
  migrations: [
    'The schema',
    'It does not fit this version. Run npx latchkey migrate in the Latchkey folder.',
  ],
  feed: [
    'The change feed',
    'Key derivation cannot read recent changes, so no keys are served. It reads the feed through leases, content and auth: can one of them reach the database?',
  ],
  bus: [
    'The bus',
    'Answers stay correct: replicas read changes from the database instead, a little later. Is NATS running at NATS_URL?',
  ],
  cache: [
    'The cache',
    'Answers stay correct, but the load on the database is higher. Is Redis running at REDIS_URL?',
  ],
  'master-key': [
    'The master key',
    'Requests for keys of the missing version get 503. Set its two variables.',
  ],
  process: ['This process', 'It is shutting down: it takes no new requests while others take over.'],
  auth: [
    'The auth service',
    'Uncached API keys, the audit and setup get 503. Content keys are still served. Is it running, and can the gateway reach it?',
  ],
  content: [
    'The content service',
    'Managing, listing and registering content get 503. Content keys are still served. Is it running, and can the gateway reach it?',
  ],
  leases: [
    'The lease service',
    'Creating, renewing and revoking leases get 503. Content keys are served until leases end. Is it running, and can the gateway reach it?',
  ],
  playback: [
    'The playback service',
    'Playlists of session URLs get 503. Content keys are still served. Is it running, and can the gateway reach it?',
  ],
  'key-derivation': ['Key derivation', 'No keys are served: players wait. Start a replica.'],
};

/** The name of a part of the server, and advice when it is down. */
export function describeDependency(name: string): readonly [name: string, advice: string] {
  // The operator names issuers of tokens.
  const [, ofIssuer] = /^issuer:(.*)$/.exec(name) ?? [];
  if (ofIssuer === undefined) return known[name] ?? [name, 'See the server’s log for the cause.'];
  return [
    `The key set of issuer ${ofIssuer}`,
    'Its tokens are checked with the last key set for an hour, then get 503. Others are not affected. Does its identity provider answer?',
  ];
}
