import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { useEachSecond, useNow } from '../state/time.ts';
import type { ColumnSort } from './column-sort.ts';
import type { Column } from './data-table.tsx';
import { formatCountdown, formatExact, formatRelative } from './format-time.ts';
import styles from './times.module.css';

interface RelativeTimeProps {
  /** ISO 8601. "never" is shown without a time. */
  at: string | null | undefined;
  /** Whether it can be reached by keyboard. Off in tables, where the details of a row show every exact time. */
  isFocusable?: boolean;
}

/** A time relative to now. Shows the exact time on hover, on focus (`ExactTimeTooltip`) and to screen readers. */
export function RelativeTime({ at, isFocusable = false }: RelativeTimeProps) {
  const now = useNow();
  if (!at) return <span className="quiet">never</span>;
  return <ShownTime {...{ at, isFocusable }} text={formatRelative(Date.parse(at), now)} />;
}

function ShownTime({ at, isFocusable, text }: { at: string; isFocusable: boolean; text: string }) {
  const exact = formatExact(at);
  return (
    <time className={styles.time} dateTime={at} data-exact={exact} {...(isFocusable ? { tabIndex: 0 } : {})}>
      {text}
      <span className="visually-hidden"> ({exact})</span>
    </time>
  );
}

/** A column of times. @param width CSS length */
export function timeColumn<Row>(
  header: string,
  width: string,
  timeOf: (row: Row) => string | null | undefined,
  sort?: ColumnSort,
): Column<Row> {
  return { header, width, sort, cell: (row) => <RelativeTime at={timeOf(row)} /> };
}

interface CountdownProps {
  /** ISO 8601. */
  at: string;
  /** Shown once it is over. Default: "0 s". */
  ended?: string;
  isFocusable?: boolean;
}

/** Counts down to a time. Shows the exact time on hover and focus, like `RelativeTime`. */
export function Countdown({ at, ended, isFocusable = false }: CountdownProps) {
  const ms = Date.parse(at);
  const left = useEachSecond((now) => (ended && ms <= now ? ended : formatCountdown(ms - now)));
  return <ShownTime {...{ at, isFocusable }} text={left} />;
}

const gapPx = 6;
const marginPx = 8;

/** One tooltip for all times of the page: a table of 100 rows has 300 of them. */
export function ExactTimeTooltip() {
  const box = useRef<HTMLDivElement>(null);
  const hide = () => box.current?.hidePopover();
  const show = ({ target }: Event) => {
    const time = target instanceof Element ? target.closest<HTMLElement>('time[data-exact]') : null;
    if (!time || !box.current) return hide();
    box.current.textContent = time.dataset.exact ?? '';
    box.current.showPopover();
    place(box.current, time.getBoundingClientRect());
  };
  useWindowEvent('pointerover', show);
  useWindowEvent('focusin', show);
  useWindowEvent('scroll', hide, true);
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && hide());
  // Hidden from screen readers: the <time> element contains the same text.
  return <div ref={box} popover="manual" className={styles.tip} aria-hidden="true" />;
}

/** Above the time, or below it if there is no room, and always inside the window. */
function place(tip: HTMLElement, around: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const above = around.top - height - gapPx;
  const left = around.left + around.width / 2 - width / 2;
  tip.style.top = `${above < marginPx ? around.bottom + gapPx : above}px`;
  tip.style.left = `${Math.max(marginPx, Math.min(left, window.innerWidth - width - marginPx))}px`;
}
