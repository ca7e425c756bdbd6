import { useMemo, useState } from 'react';
import { type ChartLine, looks, nearest } from './geometry.ts';
import styles from './time-chart.module.css';

const nothing: ReadonlySet<string> = new Set();
/** Of more lines, one is shown alone by one click. */
const mostToHide = 3;

/** The lines that a reader has hidden. At least one is shown. */
export function useHiddenLines(lines: readonly ChartLine[]) {
  const [hidden, setHidden] = useState(nothing);
  const shown = useMemo(() => {
    const left = lines.filter(({ name }) => !hidden.has(name));
    return left.length > 0 ? left : lines;
  }, [lines, hidden]);
  return {
    shown,
    toggle(name: string) {
      const next = new Set(hidden);
      if (!next.delete(name)) next.add(name);
      setHidden(lines.every((line) => next.has(line.name)) ? nothing : next);
    },
    /** Shows this line alone, or all lines again. */
    isolate(name: string) {
      const others = lines.map((line) => line.name).filter((other) => other !== name);
      setHidden(isAlone(name, shown) ? nothing : new Set(others));
    },
  };
}

const isAlone = (name: string, shown: readonly ChartLine[]) => shown.length === 1 && shown[0]?.name === name;

interface LegendProps {
  lines: readonly ChartLine[];
  hiding: ReturnType<typeof useHiddenLines>;
  /** Milliseconds since 1970. */
  at: number;
  /** The longest distance of a value from that time. */
  gapMs: number;
  format: (value: number) => string;
}

/** The value of each line at a time. Of several lines, each can be hidden and shown alone. */
export function Legend({ lines, hiding: { shown, toggle, isolate }, at, gapMs, format }: LegendProps) {
  return (
    <ul className={styles.legend}>
      {lines.map((line) => {
        const { name, points, look } = line;
        const value = nearest(points, at, gapMs)?.value ?? null;
        const isShown = shown.includes(line);
        return (
          <li key={name} data-hidden={!isShown}>
            {lines.length === 1 ? (
              <span className={`cut ${styles.name}`}>{name}</span>
            ) : (
              <button type="button" aria-pressed={isShown} onClick={() => toggle(name)}>
                <svg viewBox="0 0 18 4" width={18} height={4} aria-hidden="true">
                  <path className={styles.line} d="M1 2H17" {...looks[look]} />
                </svg>
                <span className={`cut ${styles.name}`}>{name}</span>
              </button>
            )}
            <strong>{value === null ? '–' : format(value)}</strong>
            {lines.length > mostToHide && (
              <button
                type="button"
                className={styles.only}
                data-alone={isAlone(name, shown)}
                aria-label={isAlone(name, shown) ? 'Show all lines' : `Show only ${name}`}
                onClick={() => isolate(name)}
              >
                {isAlone(name, shown) ? 'all' : 'only'}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
