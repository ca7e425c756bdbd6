/**
 * A time for a field of type `datetime-local`: the reader's own time zone, to the minute.
 *
 * @param instant ISO 8601, or empty
 * @returns such as `2027-01-31T13:00`; empty for what is no time
 */
export function toLocalField(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param field of a `datetime-local` @returns ISO 8601 in UTC; empty for what is no time */
export function fromLocalField(field: string): string {
  const ms = Date.parse(field);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
