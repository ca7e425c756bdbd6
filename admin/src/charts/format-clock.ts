const minute = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const second = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day where the reader is. @param atMs milliseconds since 1970 */
export function formatClock(atMs: number, hasSeconds = false): string {
  return (hasSeconds ? second : minute).format(atMs);
}
