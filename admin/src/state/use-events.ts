import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { type ParamsOf, type PathOf, reading } from '../api/api.ts';
import type { ServerEvent } from '../api/events.ts';
import { useApi, useApp, useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';

/**
 * Receives the server's events while the component is mounted. The server refuses the stream to keys that may not see the whole server, so
 * it is not requested with them.
 */
export function useEvents(onEvent: (event: ServerEvent) => void): void {
  const { events } = useApp();
  const isAllowed = may(useCurrentApiKey(), 'whole-server');
  const emit = useEffectEvent(onEvent);
  useEffect(() => (isAllowed ? events.subscribe((event) => emit(event)) : undefined), [events, isAllowed]);
}

type ThingPath = Extract<PathOf<'get'>, `${string}/{id}`>;

/** One thing of the server, read again when an event names it or may have been missed. @param topic of its events */
export function useLiveRead<Path extends ThingPath>(path: Path, id: string, topic: string) {
  const params = { path: { id } } as unknown as ParamsOf<Path>;
  const query = useQuery(reading(useApi(), path, params));
  useEvents((event) => {
    const isNamed = event.topic === topic && (event.data as { id?: string } | null)?.id === id;
    if (isNamed || event.topic === 'missed') void query.refetch();
  });
  return query;
}

/** Collects events that happen together. */
const gatherMs = 300;
/** RATE_LIMIT=on allows 30 requests a minute for an address, which other pages and tabs share. */
const calmMs = 8_000;

/**
 * Refreshes data after events: at once after a quiet period, and every few seconds on a busy server.
 *
 * @param isOfInterest selects the events that cause a refresh
 */
export function useLiveRefresh(refresh: () => void, isOfInterest: (event: ServerEvent) => boolean): void {
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
  useEvents((event) => {
    if (timer.current !== undefined || !isOfInterest(event)) return;
    const waitMs = Math.max(gatherMs, lastMs.current + calmMs - Date.now());
    timer.current = setTimeout(() => act(), waitMs);
  });
}
