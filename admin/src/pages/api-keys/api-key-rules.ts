import type { ApiKey, CurrentApiKey } from '../../api/resources.ts';

export type ShownStatus = 'active' | 'expiring' | 'expired' | 'revoked';

/** Time enough to rotate a key without haste; the filter "Expiring in 14 days" is the same. */
const expiringMs = 14 * 86_400_000;

/** @param nowMs milliseconds since 1970 */
export function statusOf({ revokedAt, expiresAt }: ApiKey, nowMs: number): ShownStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= expiringMs ? 'expiring' : 'active';
}

export function isUsable(status: ShownStatus): boolean {
  return status === 'active' || status === 'expiring';
}

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

interface RevocationRisks {
  /** It is what the admin is signed in with. */
  isOwn: boolean;
  /** Afterwards no stored key may manage. Null while that is not known. */
  isLastManager: boolean | null;
}

/**
 * What to warn of before a key is revoked.
 *
 * @param managers active keys of scope admin and full, at least two of each where there are so many; undefined until known
 */
export function risksOf(
  apiKey: ApiKey,
  current: CurrentApiKey,
  managers: readonly ApiKey[] | undefined,
): RevocationRisks {
  const isManager = apiKey.scope === 'admin' || apiKey.scope === 'full';
  const known = managers && managers.length === 1 && managers[0]?.id === apiKey.id;
  return {
    isOwn: current.id === apiKey.id,
    isLastManager: isManager ? (known ?? null) : false,
  };
}
