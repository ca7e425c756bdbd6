import type { IncomingHttpHeaders } from 'node:http';

/** What an answer says that leaves something out because it was asked to (RFC 7240, section 3). */
export const minimalWasApplied = { 'preference-applied': 'return=minimal' } as const;

/** Whether a client wants no more than it has to get: `Prefer: return=minimal` (RFC 7240, section 4.2). */
export function prefersMinimal({ prefer }: IncomingHttpHeaders): boolean {
  // The first mention of a preference counts, and what follows `;` are its parameters (section 2).
  const preferences = [prefer ?? []].flat().join(',').split(',');
  const values = preferences.map(
    (one) =>
      one
        .split(';')[0]
        ?.split('=')
        .map((word) => word.trim()) ?? [],
  );
  const [, value] = values.find(([name]) => name?.toLowerCase() === 'return') ?? [];
  return value?.replace(/^"(.*)"$/, '$1').toLowerCase() === 'minimal';
}
