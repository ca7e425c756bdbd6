/** Largest first: the first unit that a distance reaches is used. Lengths in seconds. */
const units = [
  { unit: 'year', length: 365 * 86_400, from: 365 * 86_400 },
  // Days are clearer for up to two months: "in 30 days" rather than "next month".
  { unit: 'month', length: 30 * 86_400, from: 60 * 86_400 },
  { unit: 'day', length: 86_400, from: 86_400 },
  { unit: 'hour', length: 3_600, from: 3_600 },
  { unit: 'minute', length: 60, from: 0 },
] as const;
/** Below this a time is "just now": seconds do not matter to readers. */
const nowSeconds = 45;
/** From this share of the next unit on, that unit is used: 59.6 minutes are "1 hour", not "60 minutes". */
const nearly = 0.99;

/** For days only: "yesterday". For years it would say "last year" of up to two years. */
const wordy = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const plain = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/**
 * How long ago, or until: "3 hours ago", "in 30 days", "yesterday".
 *
 * @param atMs milliseconds since 1970
 * @param nowMs milliseconds since 1970
 */
export function formatRelative(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1_000;
  const size = Math.abs(seconds);
  if (size < nowSeconds) return 'just now';
  const { unit, length } = units.find(({ from }) => size >= from * nearly) ?? units[4];
  // 50 seconds are shown as one minute.
  const count = Math.max(1, Math.round(size / length)) * Math.sign(seconds);
  return (unit === 'day' ? wordy : plain).format(count, unit);
}

/** In the reader's time zone and locale, with the name of the zone. @param at ISO 8601; "never" without a time */
export function formatExact(at: string | null | undefined): string {
  return at ? exact.format(new Date(at)) : 'never';
}

/**
 * The time left, in its two largest units: "4 min 12 s", "3 h 05 min", "2 d 04 h".
 *
 * @param leftMs milliseconds; zero and negative values give "0 s"
 */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24];
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  if (days > 0) return `${days} d ${two(hours)} h`;
  if (hours > 0) return `${hours} h ${two(minutes)} min`;
  return minutes > 0 ? `${minutes} min ${two(rest)} s` : `${rest} s`;
}

const clocks = {
  minute: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  second: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
  dated: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
};

/** The time of day in the reader's time zone. @param atMs milliseconds since 1970 */
export function formatClock(atMs: number, form: keyof typeof clocks = 'minute'): string {
  return clocks[form].format(atMs);
}

/**
 * A value for a `datetime-local` field: in the reader's time zone, to the minute.
 *
 * @param instant ISO 8601, or empty
 * @returns such as `2027-01-31T13:00`; empty for an invalid time
 */
export function toLocalField(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param text of an address, or the value of a `datetime-local` field @returns ISO 8601 in UTC; empty for an invalid time */
export function toInstant(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
