import type { ApiKey } from '../../api/schema.ts';

const dayMs = 86_400_000;
/** Enough time to rotate a key. The filter "Expires within 14 days" uses the same value. */
const expiringMs = 14 * dayMs;
/** Most programs run at least once a day. */
const recentMs = dayMs;

/** @param nowMs milliseconds since 1970 */
export function statusOf({ revokedAt, expiresAt }: ApiKey, nowMs: number) {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= expiringMs ? 'expiring' : 'active';
}

export function isUsable(apiKey: ApiKey, nowMs: number): boolean {
  return ['active', 'expiring'].includes(statusOf(apiKey, nowMs));
}

/** Lifetimes of a new key, in days; `date` is a day that the admin chooses. */
export const expiryChoices = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a chosen day' },
  { value: 'never', label: 'Never' },
] as const;

/**
 * The expiry of a new key, as ISO 8601: after some days, or at the end of a chosen day in the admin's time zone. Null for never.
 *
 * @param choice a value of `expiryChoices`
 * @param date `YYYY-MM-DD`, for the choice 'date'
 * @param nowMs milliseconds since 1970
 * @returns an empty text, which the server refuses, if the day is missing or over
 */
export function expiryOf(choice: string, date: string, nowMs: number): string | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(nowMs + Number(choice) * dayMs).toISOString();
  // A date and time without a zone is local time (ECMA-262, 21.4.1.32).
  const end = new Date(`${date}T23:59:59.999`);
  return end.getTime() > nowMs ? end.toISOString() : '';
}

/** How long the old key stays valid, in seconds. The server allows 30 days at most. */
export const overlaps = [
  { value: '0', label: 'No: it ends now' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
  { value: '2592000', label: 'For 30 days' },
];

/** Enough time to replace the old key everywhere. */
export const usualOverlap = '86400';

/** Whether the old key is probably in use. The server records uses up to a minute late. */
export function isInUse(lastUsedAt: string | null | undefined, nowMs: number): boolean {
  return Boolean(lastUsedAt) && nowMs - Date.parse(lastUsedAt as string) < recentMs;
}

/**
 * Whether no stored key could manage the server after this one is revoked; null while unknown. A key of some contents cannot manage it.
 *
 * @param managers active keys of scope admin and full, at least two of each if there are that many; undefined until known
 */
export function isLastManager(
  { id, scope, contents }: ApiKey,
  managers: readonly ApiKey[] | undefined,
): boolean | null {
  if (contents !== null || (scope !== 'admin' && scope !== 'full')) return false;
  return managers ? managers.length === 1 && managers[0]?.id === id : null;
}

/**
 * The contents of a new key.
 *
 * @param text ids and prefixes, separated by commas, spaces or lines
 * @returns null for all contents
 */
export function contentsOf(text: string): string[] | null {
  const contents = text.split(/[\s,]/).filter((each) => each !== '');
  return contents.length === 0 ? null : contents;
}
