import { Button } from '@mantine/core';
import type { UsageRequests } from '../../api/resources.ts';
import { FilterToggle, ToggleGroup } from '../../components/filters.tsx';
import { useApp } from '../../session/app-context.ts';
import type { ChangeFilter } from '../../state/use-address-filter.ts';
import styles from './usage.module.css';
import {
  mayZoom,
  rangeLengths,
  ranges,
  type Span,
  shift,
  type UsageView,
  viewOf,
  zoomIn,
  zoomOut,
} from './usage-view.ts';

interface UsageToolbarProps {
  view: UsageView;
  change: ChangeFilter<UsageView>;
  /** What is shown now. */
  span: Span;
  /** Around which to zoom; null for the middle. */
  cursorAt: number | null;
}

const sorts: Record<UsageRequests, string> = { keys: 'Key requests', leases: 'Lease requests' };

/** The time, and the sort of requests. */
export function UsageToolbar({ view, change, span, cursorAt }: UsageToolbarProps) {
  const { clock } = useApp();
  const { isInOk, isOutOk } = mayZoom(span);
  const move = (to: (now: number) => Span) => () => {
    const now = clock.now();
    change(viewOf(to(now), now));
  };
  return (
    <search className={styles.toolbar} aria-label="Time and requests">
      <ToggleGroup label="Range">
        {ranges.map((range) => (
          <FilterToggle
            key={range}
            isOn={!view.zoomed && view.range === range}
            onToggle={() => change({ range, zoomed: null })}
          >
            {rangeLengths[range].label}
          </FilterToggle>
        ))}
      </ToggleGroup>
      <fieldset className={styles.zoom}>
        <legend className="visually-hidden">Move in time</legend>
        <Button variant="default" size="xs" onClick={move((now) => shift(span, -1, now))}>
          Earlier
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!view.zoomed}
          onClick={move((now) => shift(span, 1, now))}
        >
          Later
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!isInOk}
          onClick={move((now) => zoomIn(span, cursorAt, now))}
        >
          Zoom in
        </Button>
        <Button variant="default" size="xs" disabled={!isOutOk} onClick={move((now) => zoomOut(span, now))}>
          Zoom out
        </Button>
      </fieldset>
      <ToggleGroup label="Requests">
        {(Object.keys(sorts) as UsageRequests[]).map((requests) => (
          <FilterToggle
            key={requests}
            isOn={view.requests === requests}
            onToggle={() => change({ requests })}
          >
            {sorts[requests]}
          </FilterToggle>
        ))}
      </ToggleGroup>
    </search>
  );
}
