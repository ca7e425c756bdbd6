import { useEffect, useState } from 'react';

/** How often relative times are told anew: half of the smallest unit that they have. */
const everyMs = 30_000;

/** The time in milliseconds since 1970, moving on for as long as the component is shown. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
