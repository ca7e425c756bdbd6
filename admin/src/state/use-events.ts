import { useEffect, useEffectEvent } from 'react';
import type { ServerEvent, StreamState } from '../api/events.ts';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';

/** Hears what happens on the server for as long as the component is shown. Only for keys that may manage. */
export function useEvents(onEvent: (event: ServerEvent) => void): StreamState {
  const { events } = useApp();
  const hear = useEffectEvent(onEvent);
  useEffect(() => events.subscribe((event) => hear(event)), [events]);
  return useStore(events.state);
}
