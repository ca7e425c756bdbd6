/** Name of each part of the server. */
const names: Record<string, string> = {
  database: 'The database',
  migrations: 'The schema',
  feed: 'The change feed',
  bus: 'The bus',
  cache: 'The cache',
  'master-key': 'The master key',
  process: 'This process',
  auth: 'The auth service',
  content: 'The content service',
  leases: 'The lease service',
  playback: 'The playback service',
  'key-derivation': 'Key derivation',
};

export function nameOfDependency(name: string): string {
  return names[name] ?? name;
}

/** Details from `/ready` in one line: "3 addresses", "version 12". */
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
