import { useState } from 'react';
import type { ChartLine } from './geometry.ts';
import styles from './series-table.module.css';

interface SeriesTableProps {
  title: string;
  lines: readonly ChartLine[];
  format: (value: number) => string;
  formatTime: (at: number) => string;
}

/** The values of a chart as a table, newest first. Rendered only while it is open. */
export function SeriesTable({ title, lines, format, formatTime }: SeriesTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        As a table<span className="visually-hidden">: {title}</span>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <section className={styles.frame} tabIndex={0} aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rowsOf(lines).map(({ at, values }) => (
                <tr key={at}>
                  <th scope="row">{formatTime(at)}</th>
                  {values.map((value, index) => (
                    <td key={lines[index]?.name}>{value === null ? '–' : format(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

/** One row for each time with a value on any line. */
function rowsOf(lines: readonly ChartLine[]): { at: number; values: (number | null)[] }[] {
  const byLine = lines.map(({ points }) => new Map(points.map(({ at, value }) => [at, value])));
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => b - a);
  return times
    .map((at) => ({ at, values: byLine.map((values) => values.get(at) ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null));
}
