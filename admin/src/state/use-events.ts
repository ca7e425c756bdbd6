import { useEffect, useEffectEvent, useRef } from 'react';
import type { ServerEvent, StreamState } from '../api/events.ts';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';

/**
 * Hears what happens on the server for as long as the component is shown.
 *
 * @param isAllowed whether the key that is signed in may manage: others are refused the stream, so it is not asked for
 */
export function useEvents(onEvent: (event: ServerEvent) => void, isAllowed = true): StreamState {
  const { events } = useApp();
  const hear = useEffectEvent(onEvent);
  useEffect(() => (isAllowed ? events.subscribe((event) => hear(event)) : undefined), [events, isAllowed]);
  return useStore(events.state);
}

/** What happens together is seen together. */
const gatherMs = 300;
/** With RATE_LIMIT=on an address has 30 requests in a minute, and other pages and tabs want some of them. */
const calmMs = 8_000;

/**
 * Has something read anew when something happens: at once after a quiet time, and every few seconds on a busy server.
 *
 * @param isOfInterest which events are a reason
 * @param isAllowed as `useEvents` has it
 */
export function useLiveRefresh(
  refresh: () => void,
  isOfInterest: (event: ServerEvent) => boolean,
  isAllowed = true,
): StreamState {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  const act = useEffectEvent(() => {
    timer.current = undefined;
    lastMs.current = Date.now();
    refresh();
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useEvents((event) => {
    if (timer.current !== undefined || !isOfInterest(event)) return;
    const waitMs = Math.max(gatherMs, lastMs.current + calmMs - Date.now());
    timer.current = setTimeout(() => act(), waitMs);
  }, isAllowed);
}
