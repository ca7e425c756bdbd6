import { useEffect, useEffectEvent } from 'react';
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
