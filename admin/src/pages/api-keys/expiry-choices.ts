/** How long a new key lives; null for ever, and 'date' as the admin says. */
export const expiryChoices = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a day of your choice' },
  { value: 'never', label: 'Never' },
] as const;

const dayMs = 86_400_000;

/**
 * When a new key ends, as ISO 8601: so many days from now, at the end of the chosen day in the admin's time zone, or never.
 *
 * @param choice a value of `expiryChoices`
 * @param date `YYYY-MM-DD`, for the choice 'date'
 * @param nowMs milliseconds since 1970
 * @returns undefined where the day is missing or past
 */
export function expiryOf(choice: string, date: string, nowMs: number): string | null | undefined {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(nowMs + Number(choice) * dayMs).toISOString();
  // Without a zone, a date with a time is one of this place (ECMA-262, 21.4.1.32).
  const end = new Date(`${date}T23:59:59.999`);
  return end.getTime() > nowMs ? end.toISOString() : undefined;
}
