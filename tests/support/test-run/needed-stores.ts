import type { StoreName } from '../stores/own-stores.ts';

/** The marks in a test that mean that it needs a service. */
const marks: Record<StoreName, RegExp> = {
  Postgres: /\bTEST_POSTGRES_URL\b|\bdatabaseKinds\(|\bstartArchivedPostgres\(|\bstartMeasured\(/,
  Redis: /\bTEST_REDIS_URL\b|\bstartDrilledServices\(/,
  NATS: /\bTEST_NATS_URL\b/,
};

/**
 * Finds the services that the selected tests need, and the files that need each.
 *
 * @param filters vitest's: parts of paths; with none, every test runs
 * @param files paths from the root; `read` returns their text
 */
export function findNeededStores(
  filters: readonly string[],
  files: readonly string[],
  read: (file: string) => string,
): Map<StoreName, string[]> {
  const needed = new Map<StoreName, string[]>();
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  const selected = tests.filter((file) => filters.some((filter) => file.includes(filter)));
  // An argument that matches no file was the value of an option, not a filter.
  for (const file of selected.length > 0 ? selected : tests) {
    const text = read(file);
    for (const [name, mark] of Object.entries(marks) as [StoreName, RegExp][]) {
      if (mark.test(text)) needed.set(name, [...(needed.get(name) ?? []), file]);
    }
  }
  return needed;
}
