import { type KeyboardEvent, type PointerEvent, useState } from 'react';

/** The time that all charts of a page show the values of. */
export interface SharedCursor {
  /** Milliseconds since 1970; null for none. */
  at: number | null;
  move: (at: number | null) => void;
}

interface ChartRange {
  from: number;
  to: number;
  stepMs: number;
}

/** A shorter drag is a click, in shares of the width. */
const shortestDrag = 0.015;

/**
 * Moves the cursor by the pointer and by the arrow keys, and takes a dragged range.
 *
 * @param range with the time whose values are shown without a cursor
 * @param onZoom called with the dragged range
 */
export function useChartPointer(
  { from, to, stepMs, restsAt }: ChartRange & { restsAt: number },
  cursor: SharedCursor,
  onZoom: (from: number, to: number) => void,
) {
  const [begunAt, setBegunAt] = useState<number | null>(null);
  const timeOf = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return from + Math.min(1, Math.max(0, (clientX - left) / width)) * (to - from);
  };
  const selected: [from: number, to: number] | null =
    begunAt === null || cursor.at === null
      ? null
      : [Math.min(begunAt, cursor.at), Math.max(begunAt, cursor.at)];
  return {
    /** The range that is being dragged. */
    selected,
    /** For the element over the chart. */
    handlers: {
      onPointerDown(event: PointerEvent) {
        // A finger scrolls the page, and zooms by the buttons.
        if (event.pointerType === 'touch' || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setBegunAt(timeOf(event));
        cursor.move(timeOf(event));
      },
      onPointerMove: (event: PointerEvent) => cursor.move(timeOf(event)),
      onPointerUp(event: PointerEvent) {
        if (begunAt === null) return;
        setBegunAt(null);
        const until = timeOf(event);
        if (Math.abs(until - begunAt) >= (to - from) * shortestDrag)
          onZoom(Math.min(begunAt, until), Math.max(begunAt, until));
      },
      onPointerCancel: () => setBegunAt(null),
      onPointerLeave() {
        if (begunAt === null) cursor.move(null);
      },
      onKeyDown(event: KeyboardEvent) {
        if (event.key === 'Escape') {
          setBegunAt(null);
          cursor.move(null);
          return;
        }
        const next = stepTo(event.key, cursor.at ?? restsAt, { from, to, stepMs });
        if (next === null) return;
        event.preventDefault();
        cursor.move(next);
      },
      onBlur: () => cursor.move(null),
    },
  };
}

/** The steps that Page Up and Page Down go over. */
const pageSteps = 10;

/** @returns where a key leads, on a step; null for a key that leads nowhere */
export function stepTo(key: string, at: number, { from, to, stepMs }: ChartRange): number | null {
  const last = from + Math.max(0, Math.ceil((to - from) / stepMs) - 1) * stepMs;
  const here = Math.min(last, from + Math.floor((at - from) / stepMs) * stepMs);
  const places: Record<string, number> = {
    ArrowLeft: here - stepMs,
    ArrowDown: here - stepMs,
    ArrowRight: here + stepMs,
    ArrowUp: here + stepMs,
    PageDown: here - pageSteps * stepMs,
    PageUp: here + pageSteps * stepMs,
    Home: from,
    End: last,
  };
  const place = places[key];
  return place === undefined ? null : Math.min(last, Math.max(from, place));
}
