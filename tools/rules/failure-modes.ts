/** Cells of each row of the tables of a document, without heads and rulers. */
const readRows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/shown by \|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

const quotesOf = (cell: string) => [...cell.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);

/** Faults that no failure mode names: covered by the rows of their losses. */
const coveredElsewhere = ['Redis restarted', 'NATS restarted', 'the network around the playback service cut'];

/**
 * Finds failure modes that no test and no measured fault shows, and measured faults that are no failure mode. That a named test
 * exists is a matter of dead references. Returns a sentence for each.
 */
export function findUnshownFailures(read: (file: string) => string): string[] {
  const [modes, faults] = [read('docs/design/failure-modes.md'), read('docs/design/faults.md')];
  const measured = new Set(readRows(faults).map(([name = '']) => name));
  const named = new Set([...quotesOf(modes), ...coveredElsewhere]);
  const table = faults.split('<!-- measured: faults -->')[1]?.split('<!-- end -->')[0] ?? '';
  return [
    ...readRows(modes).flatMap((cells) => {
      const shown = cells.at(-1) ?? '';
      const names = quotesOf(shown);
      const isShown = names.length > 0 || shown.includes('.test.ts`');
      if (cells.length === 5 && isShown && names.every((name) => measured.has(name))) return [];
      return [`docs/design/failure-modes.md: no test and no measured fault shows "${cells[0]}": ${shown}`];
    }),
    ...[...table.matchAll(/^\| (?!broken|-)([^|]+) \|/gm)]
      .filter(([, name = '']) => !named.has(name))
      .map(
        ([, name]) =>
          `docs/design/failure-modes.md does not name "${name}", which docs/design/faults.md measures`,
      ),
  ];
}
