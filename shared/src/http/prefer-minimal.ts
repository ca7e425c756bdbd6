import type { IncomingHttpHeaders } from 'node:http';

/** The header of an answer that leaves something out because the client asked for it (RFC 7240, section 3). */
export const minimalWasApplied = { 'preference-applied': 'return=minimal' } as const;

/** Whether a client wants no more than it has to get: `Prefer: return=minimal` (RFC 7240, section 4.2). */
export function prefersMinimal({ prefer }: IncomingHttpHeaders): boolean {
  // The first mention of a preference counts, and what follows `;` are its parameters (section 2).
  const mention = [prefer ?? []]
    .flat()
    .join(',')
    .split(',')
    .find((one) => /^\s*return\s*(?:[=;]|$)/i.test(one));
  const value = mention?.split(';', 1)[0]?.split('=', 2)[1]?.trim();
  return value?.replace(/^"(.*)"$/, '$1').toLowerCase() === 'minimal';
}
