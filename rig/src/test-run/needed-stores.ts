import type { StoreName } from '../stores/own-stores.ts';

/** How a test says that it needs a service. */
const marks: Record<StoreName, RegExp> = {
  Postgres: /\bTEST_POSTGRES_URL\b|\bdatabaseKinds\(/,
  Redis: /\bTEST_REDIS_URL\b/,
  NATS: /\bTEST_NATS_URL\b/,
};

/**
 * Which services the tests that are to run need, and which files need each.
 *
 * @param filters vitest's: parts of paths; with none, every test runs
 * @param files paths from the root, and `read` gives their text
 */
export function findNeededStores(
  filters: readonly string[],
  files: readonly string[],
  read: (file: string) => string,
): Map<StoreName, string[]> {
  const needed = new Map<StoreName, string[]>();
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  const selected = tests.filter((file) => filters.some((filter) => file.includes(filter)));
  // What names no file was no filter but the value of an option.
  for (const file of selected.length > 0 ? selected : tests) {
    const text = read(file);
    for (const [name, mark] of Object.entries(marks) as [StoreName, RegExp][]) {
      if (mark.test(text)) needed.set(name, [...(needed.get(name) ?? []), file]);
    }
  }
  return needed;
}
