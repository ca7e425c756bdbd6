/** How long the old key works on, in seconds. The most that the server takes is 30 days. */
export const overlaps = [
  { value: '0', label: 'Not at all: it ends now' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
  { value: '2592000', label: 'For 30 days' },
];

/** Time enough to bring the new key to everything that has the old one. */
export const usualOverlap = '86400';

/** Whether somebody is likely to be using the old key now. Uses are written at most a minute late. */
export function isInUse(lastUsedAt: string | null | undefined, nowMs: number): boolean {
  return Boolean(lastUsedAt) && nowMs - Date.parse(lastUsedAt as string) < recentMs;
}

/** Whatever runs at all runs once a day. */
const recentMs = 86_400_000;
