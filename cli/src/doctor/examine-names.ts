import { separateServiceSettings, singleNodeSettings } from '@latchkey/shared/config';
import type { Variables } from '../keys/read-variable.ts';
import type { Finding } from './finding.ts';

/** A slip of the finger or two. */
const nearEnough = 2;
/** Shorter names are near to too much: PATH is no slip of PORT. */
const shortestGuess = 7;

/** Variables that nobody reads but that look like one of ours: a typo leaves a protection off without a word. */
export function examineNames(env: Variables): Finding[] {
  const known = new Set(
    Object.values({ ...singleNodeSettings, ...separateServiceSettings }).flatMap(({ descriptions }) =>
      descriptions.map(({ name }) => name),
    ),
  );
  const found: Finding[] = [];
  for (const set of Object.keys(env)) {
    const name = set.replace(/_FILE$/, '');
    if (
      known.has(name) ||
      known.has(set) ||
      name.length < shortestGuess ||
      /^(MASTER_KEY|SALT)_HEX_V\d+$/.test(name)
    )
      continue;
    const meant = [...known].find((candidate) => distance(name, candidate) <= nearEnough);
    if (!meant) continue;
    found.push({ state: 'warning', about: set, says: 'is read by nobody', mend: `did you mean ${meant}?` });
  }
  return found;
}

/** Levenshtein's distance: insertions, deletions and substitutions. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > nearEnough) return nearEnough + 1;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
