/** What a part of the server is called, and what to do when it is down. */
const known: Record<string, readonly [name: string, advice: string]> = {
  database: [
    'The database',
    'While it can be read, keys go on and changes are 503. Otherwise keys whose states are known are served for some seconds more. Is it running, is its disk full, is the way to it open?',
  ],
  migrations: [
    'The schema',
    'It is not the one that this version needs. Run npx latchkey migrate in the folder of Latchkey.',
  ],
  feed: [
    'The change feed',
    'Key derivation does not know what has changed, so no key is served. It reads the feed from leases, content and auth: does one of them reach the database?',
  ],
  bus: [
    'The bus',
    'Slower, not wrong: replicas hear of changes from the database instead, a little later. Is NATS running at NATS_URL?',
  ],
  cache: ['The cache', 'Slower, not wrong: the database has more to do. Is Redis running at REDIS_URL?'],
  'master-key': ['The master key', 'Keys of a version that is missing are 503. Set its two variables.'],
  process: ['This process', 'It is about to end: it takes no new work while others take over.'],
  auth: [
    'The auth service',
    'What needs it is answered 503: API keys that are not known yet, the audit, setup. Content keys go on. Is it running, and does the gateway reach it?',
  ],
  content: [
    'The content service',
    'What needs it is answered 503: content is not managed, listed or registered. Content keys go on. Is it running, and does the gateway reach it?',
  ],
  leases: [
    'The lease service',
    'What needs it is answered 503: no lease is created, renewed or revoked. Content keys go on until leases end. Is it running, and does the gateway reach it?',
  ],
  'key-derivation': ['Key derivation', 'No key can be had: players wait. Start a replica of it.'],
};

export function nameOfDependency(name: string): string {
  return known[name]?.[0] ?? name;
}

export function adviceForDependency(name: string): string {
  return known[name]?.[1] ?? 'The log of the server says why.';
}

/** The facts that `/ready` gives of a part, in one line: "3 addresses", "version 12". */
export function describeDependency({
  status: _,
  ...facts
}: { status: string } & Record<string, unknown>): string {
  return Object.entries(facts)
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return value ? [wordsOf(name)] : [];
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      return [name === 'kind' ? `${value}` : `${wordsOf(name)} ${value}`];
    })
    .join(', ');
}

/** `roundTripMs` as "round trip ms". */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
