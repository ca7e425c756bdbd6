/** What a part of the server is called, and what to do when it is down. */
const known: Record<string, readonly [name: string, advice: string]> = {
  database: [
    'The database',
    'Keys whose states are known are served for some seconds more, then they are 503. Is it running, is its disk full, is the way to it open?',
  ],
  migrations: ['The schema', 'It is not the one that this version needs. Run npx latchkey migrate.'],
  bus: [
    'The bus',
    'Nothing fails; replicas hear of changes from the database instead, a little later. Is NATS running at NATS_URL?',
  ],
  cache: ['The cache', 'Nothing fails; the database has more to do. Is Redis running at REDIS_URL?'],
  process: ['This process', 'It is about to end: it takes no new work while others take over.'],
  auth: ['The auth service', 'API keys cannot be checked. Keys of content go on for those who are known.'],
  content: ['The content service', 'Content cannot be managed or listed until it is back.'],
  leases: ['The lease service', 'No lease can be created or renewed until it is back.'],
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
