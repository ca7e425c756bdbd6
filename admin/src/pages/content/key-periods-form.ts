import type { KeyPeriods } from '../../api/resources.ts';

const empty = { origin: '', periodSeconds: '', ahead: '', behind: '', count: '', burst: '', speed: '' };
type PeriodsMember = keyof typeof empty;

export type PeriodsMode = 'none' | KeyPeriods['mode'];

/** The texts in the fields of the key periods. Fields of the other modes are empty. */
export type PeriodsTexts = typeof empty & { mode: PeriodsMode; pace: boolean };

export const noPeriodsTexts: PeriodsTexts = { mode: 'none', ...empty, pace: true };

/** By the paths of the fields. */
export type PeriodsFaults = Partial<Record<`keyPeriods.${PeriodsMember}`, string>>;

/** The limits of the server: `docs/reference/contract.md#key-periods`. */
const maxEpoch = 4_294_967_295;
const daySeconds = 86_400;

/** The value of a text; null for an empty one that is optional; undefined for an invalid one. */
type Read = (text: string) => string | number | null | undefined;

/** How the text of each field of a mode is read, and what is said of an invalid one. */
const readers: Record<KeyPeriods['mode'], readonly [PeriodsMember, Read, fault: string][]> = {
  clock: [
    ['origin', readTime, 'A time with its offset, such as 2027-01-31T12:00:00Z.'],
    ['periodSeconds', whole(1, daySeconds), 'A whole number of seconds, from 1 to 86400 (one day).'],
    ['ahead', optional(whole(0, 10)), 'From 0 to 10. Empty: 1.'],
    ['behind', optional(whole(0, maxEpoch)), 'From 0 to 4294967295. Empty: all.'],
  ],
  sequence: [
    ['count', whole(1, maxEpoch + 1), 'From 1 to 4294967296.'],
    ['periodSeconds', decimal(Number.MAX_VALUE), 'A number of seconds above 0, such as 60 or 60.06.'],
    ['burst', optional(whole(1, 1_000)), 'From 1 to 1000. Empty: the keys of two minutes.'],
    ['speed', optional(decimal(100)), 'Above 0, up to 100. Empty: 2.'],
  ],
};

/** Validates the fields of the chosen mode without the server. An empty optional field is left to the server. */
export function readPeriods(texts: PeriodsTexts): { periods: KeyPeriods | null } | { faults: PeriodsFaults } {
  const { mode, pace } = texts;
  if (mode === 'none') return { periods: null };
  const faults: PeriodsFaults = {};
  const values: Partial<Record<PeriodsMember, string | number | null>> = {};
  for (const [member, read, fault] of readers[mode]) {
    const value = read(texts[member]);
    if (value === undefined) faults[`keyPeriods.${member}`] = fault;
    // Null is a value only of this one: all epochs.
    else if (value !== null || member === 'behind') values[member] = value;
  }
  if (Object.keys(faults).length > 0) return { faults };
  return { periods: { mode, ...values, ...(mode === 'sequence' && { pace }) } as KeyPeriods };
}

/** A time of the form that the server demands (RFC 3339), on a day that exists. */
const timePattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

function readTime(text: string): string | undefined {
  const written = text.trim().toUpperCase();
  const day = timePattern.exec(written)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(written))) return undefined;
  // Date.parse accepts February 31 and makes March of it.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? written : undefined;
}

function whole(least: number, most: number): Read {
  // No number of the API is longer, and a longer one could not be read exactly.
  return numberOf(/^\d{1,10}$/, (value) => value >= least && value <= most);
}

/** A number above zero, with a point as in the API: 1,5 could mean either. */
function decimal(most: number): Read {
  return numberOf(/^\d{1,10}(\.\d{1,10})?$/, (value) => value > 0 && value <= most);
}

function numberOf(form: RegExp, isAllowed: (value: number) => boolean): Read {
  return (text) => {
    const value = Number(text);
    return form.test(text.trim()) && isAllowed(value) ? value : undefined;
  };
}

function optional(read: Read): Read {
  return (text) => (text.trim() === '' ? null : read(text));
}

/** The texts that show stored key periods. */
export function writePeriods(periods: KeyPeriods | null | undefined): PeriodsTexts {
  if (!periods) return noPeriodsTexts;
  const texts = Object.entries(periods).map(([member, value]) => {
    return [member, typeof value === 'boolean' ? value : String(value ?? '')];
  });
  return { ...noPeriodsTexts, ...Object.fromEntries(texts) };
}

/** Whether a form still shows the stored key periods. */
export function showsPeriods(texts: PeriodsTexts, periods: KeyPeriods | null | undefined): boolean {
  const stored = writePeriods(periods);
  return (Object.keys(stored) as (keyof PeriodsTexts)[]).every((member) => stored[member] === texts[member]);
}

/** The texts after another mode was chosen: the stored ones, or an empty form. */
export function textsOfMode(mode: PeriodsMode, stored: KeyPeriods | null, nowMs: number): PeriodsTexts {
  if (stored?.mode === mode) return writePeriods(stored);
  const origin = mode === 'clock' ? `${new Date(nowMs).toISOString().slice(0, 19)}Z` : '';
  return { ...noPeriodsTexts, mode, origin };
}
