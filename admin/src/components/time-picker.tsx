import { Button, Flex } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useApp } from '../session/app-context.ts';
import {
  mayZoom,
  rangeLengths,
  ranges,
  readSpan,
  type Span,
  shift,
  spanOf,
  type TimeView,
  viewOf,
  zoomIn,
  zoomOut,
} from '../state/time-range.ts';
import type { ChangeFilter } from '../state/use-address-filter.ts';
import { Choice, FilterField, ToggleGroup } from './filters.tsx';
import { toInstant, toLocalField } from './format-time.ts';
import { Notice } from './notice.tsx';

interface TimePickerProps {
  view: TimeView;
  change: ChangeFilter<TimeView>;
  /** Around which to zoom; null for the middle. */
  cursorAt: number | null;
  /** Further choices. */
  children?: ReactNode;
}

/** The time that the charts of a page show. */
export function TimePicker({ view, change, cursorAt, children }: TimePickerProps) {
  const { clock } = useApp();
  const span = spanOf(view, clock.now());
  const { isInOk, isOutOk } = mayZoom(span);
  const move = (label: string, isOk: boolean, to: (now: number) => Span) => (
    <Button
      variant="default"
      size="xs"
      disabled={!isOk}
      onClick={() => {
        const now = clock.now();
        change(viewOf(to(now), now));
      }}
    >
      {label}
    </Button>
  );
  return (
    <Flex component="search" aria-label="Time" wrap="wrap" align="center" gap="0.75rem 1.25rem" mb="1.25rem">
      <Choice
        label="Range"
        of={[...ranges, 'own']}
        nameOf={(each) => (each === 'own' ? 'Own range' : rangeLengths[each].label)}
        value={view.zoomed ? 'own' : view.range}
        onChoose={(each) =>
          change(each === 'own' ? { zoomed: view.zoomed ? null : span } : { range: each, zoomed: null })
        }
      />
      {view.zoomed && <OwnRange zoomed={view.zoomed} change={change} />}
      <ToggleGroup label="Move in time">
        {move('Earlier', true, (now) => shift(span, -1, now))}
        {move('Later', view.zoomed !== null, (now) => shift(span, 1, now))}
        {move('Zoom in', isInOk, (now) => zoomIn(span, cursorAt, now))}
        {move('Zoom out', isOutOk, (now) => zoomOut(span, now))}
      </ToggleGroup>
      {children}
    </Flex>
  );
}

const isoOf = (ms: number) => new Date(ms).toISOString();

/** The two ends of a range. What is typed is shown as soon as the server takes it. */
function OwnRange({ zoomed, change }: { zoomed: Span; change: ChangeFilter<TimeView> }) {
  const [typed, setTyped] = useState<{ over: Span; from: string; to: string } | null>(null);
  const ends = typed?.over === zoomed ? typed : { from: isoOf(zoomed.from), to: isoOf(zoomed.to) };
  const take = (part: { from: string } | { to: string }) => {
    const next = { ...ends, ...part };
    const span = readSpan(next.from, next.to);
    if (span) change({ zoomed: span });
    else setTyped({ ...next, over: zoomed });
  };
  return (
    <>
      <TimeEnds
        from={{ value: ends.from, onChange: (from) => take({ from }) }}
        to={{ value: ends.to, onChange: (to) => take({ to }) }}
      />
      {!readSpan(ends.from, ends.to) && (
        <Notice kind="warning" role="status">
          A range has 15 minutes to 30 days.
        </Notice>
      )}
    </>
  );
}

interface TimeEnd {
  /** ISO 8601, or empty. */
  value: string;
  onChange: (instant: string) => void;
}

/** The fields for both ends of a range in the reader's time zone, to the minute. They stay next to each other where both have room. */
export function TimeEnds(ends: Record<'from' | 'to', TimeEnd>) {
  return (
    <Flex wrap="wrap" gap="0.625rem">
      {(['from', 'to'] as const).map((end) => (
        <FilterField
          key={end}
          label={end === 'from' ? 'From' : 'Until'}
          type="datetime-local"
          value={toLocalField(ends[end].value)}
          onChange={({ currentTarget }) => ends[end].onChange(toInstant(currentTarget.value))}
        />
      ))}
    </Flex>
  );
}
