import type { HeldRows } from '@latchkey/shared/db/files';

/** Clocks may differ by 10 s, and a line of the log is written when its request ends. */
const marginMs = 60_000;
const names: Readonly<Record<string, string>> = {
  contents: 'contents',
  api_keys: 'API keys',
  leases: 'leases',
  marks: 'marks',
  revocations: 'revocations by viewer or content',
  audit: 'rows of the audit',
};

/** What a file holds, one line for each fact. */
export function describeRows({ rows, version, lastAt, masterKeys }: HeldRows): string {
  const counts = Object.entries(rows).map(
    ([table, count]) => `${count.toLocaleString('en')} ${names[table] ?? table}`,
  );
  const keys = masterKeys.map((key) => `version ${key.version} (fingerprint ${key.fingerprint})`);
  return [
    `It holds ${counts.join(', ')}.`,
    `Its schema is that of ${version}. Its last change is of ${lastAt === null ? 'no time: it has none' : new Date(lastAt).toISOString()}.`,
    keys.length === 0
      ? 'No master key was used with it yet.'
      : `Its content keys need the master key of ${keys.join(', ')}. No secret is in it: keep them too.`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * From when on the log has to be searched for revocations that a file does not hold. Some that it holds are found again, which
 * is harmless.
 */
export function missingSince({ lastAt }: Pick<HeldRows, 'lastAt'>): string {
  return new Date(Math.max(0, (lastAt ?? 0) - marginMs)).toISOString();
}
