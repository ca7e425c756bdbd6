import { useEffect, useState } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';

/** How often relative times are told anew: half of the smallest unit that they have. */
const everyMs = 30_000;

/** The time on the server in milliseconds since 1970, moving on for as long as the component is shown. */
export function useNow(): number {
  const offsetMs = useStore(useApp().clock.offsetMs);
  const [localMs, setLocalMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLocalMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return localMs + offsetMs;
}
