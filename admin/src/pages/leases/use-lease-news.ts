import { useEffect, useEffectEvent, useRef } from 'react';
import type { StreamState } from '../../api/events.ts';
import { useEvents } from '../../state/use-events.ts';
import { type LeaseNews, readLeaseNews } from './lease-news.ts';

/**
 * Hears what becomes of leases, gathered: a busy server has hundreds of news in a second, and nobody reads faster than this.
 *
 * @param everyMs how often at most
 * @param onNews answers false where it cannot take them yet; then it hears them again, with what has come meanwhile
 */
export function useLeaseNews(everyMs: number, onNews: (news: readonly LeaseNews[]) => boolean): StreamState {
  const held = useRef<LeaseNews[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tell = useEffectEvent(() => {
    const isTaken = onNews(held.current);
    if (isTaken) held.current = [];
    timer.current = isTaken ? undefined : setTimeout(() => tell(), everyMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      held.current = [];
    },
    [],
  );
  return useEvents((event) => {
    const news = readLeaseNews(event);
    if (!news) return;
    held.current.push(news);
    timer.current ??= setTimeout(() => tell(), everyMs);
  });
}
