import type { KeyPeriods } from '../../api/resources.ts';

/** The texts in the fields of the key periods. Fields of the other modes are empty. */
export interface PeriodsTexts {
  mode: PeriodsMode;
  origin: string;
  periodSeconds: string;
  ahead: string;
  behind: string;
  count: string;
  burst: string;
  speed: string;
  pace: boolean;
}

export type PeriodsMode = 'none' | KeyPeriods['mode'];

/** By the paths of the fields. */
export type PeriodsFaults = Partial<Record<`keyPeriods.${PeriodsMember}`, string>>;

type PeriodsMember = Exclude<keyof PeriodsTexts, 'mode' | 'pace'>;

export const noPeriodsTexts: PeriodsTexts = {
  mode: 'none',
  origin: '',
  periodSeconds: '',
  ahead: '',
  behind: '',
  count: '',
  burst: '',
  speed: '',
  pace: true,
};

/** The limits of the server: `docs/reference/contract.md#key-periods`. */
const maxEpoch = 4_294_967_295;
const daySeconds = 86_400;

type ReadPeriods = { periods: KeyPeriods | null } | { faults: PeriodsFaults };

/** Validates the fields of the chosen mode without the server. An empty optional field is left to the server. */
export function readPeriods(texts: PeriodsTexts): ReadPeriods {
  if (texts.mode === 'none') return { periods: null };
  const faults: PeriodsFaults = {};
  const take = <Value>(member: PeriodsMember, value: Value | undefined, fault: string): Value | undefined => {
    if (value === undefined) faults[`keyPeriods.${member}`] = fault;
    return value;
  };
  const periods = texts.mode === 'clock' ? readClock(texts, take) : readSequence(texts, take);
  return periods ? { periods } : { faults };
}

type Take = <Value>(member: PeriodsMember, value: Value | undefined, fault: string) => Value | undefined;

function readClock(texts: PeriodsTexts, take: Take): KeyPeriods | null {
  const origin = take(
    'origin',
    readTime(texts.origin),
    'A time with its offset, such as 2027-01-31T12:00:00Z.',
  );
  const periodSeconds = take(
    'periodSeconds',
    readWhole(texts.periodSeconds, 1, daySeconds),
    'A whole number of seconds, from 1 to 86400 (one day).',
  );
  const ahead = take('ahead', readOptional(texts.ahead, 0, 10), 'From 0 to 10. Empty: 1.');
  const behind = take('behind', readOptional(texts.behind, 0, maxEpoch), 'From 0 to 4294967295. Empty: all.');
  if (origin === undefined || periodSeconds === undefined || ahead === undefined || behind === undefined)
    return null;
  return { mode: 'clock', origin, periodSeconds, ...(ahead !== null && { ahead }), behind };
}

function readSequence(texts: PeriodsTexts, take: Take): KeyPeriods | null {
  const count = take('count', readWhole(texts.count, 1, maxEpoch + 1), 'From 1 to 4294967296.');
  const periodSeconds = take(
    'periodSeconds',
    readDecimal(texts.periodSeconds, Number.MAX_VALUE),
    'A number of seconds above 0, such as 60 or 60.06.',
  );
  const burst = take(
    'burst',
    readOptional(texts.burst, 1, 1_000),
    'From 1 to 1000. Empty: the keys of two minutes.',
  );
  const isUsual = texts.speed.trim() === '';
  const speed = take(
    'speed',
    isUsual ? null : readDecimal(texts.speed, 100),
    'Above 0, up to 100. Empty: 2.',
  );
  if (count === undefined || periodSeconds === undefined || burst === undefined || speed === undefined)
    return null;
  const { pace } = texts;
  return {
    ...{ mode: 'sequence', count, periodSeconds, pace },
    ...(burst !== null && { burst }),
    ...(speed !== null && { speed }),
  };
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

function readWhole(text: string, least: number, most: number): number | undefined {
  const written = text.trim();
  // No number of the API is longer, and a longer one could not be read exactly.
  if (!/^\d{1,10}$/.test(written)) return undefined;
  const value = Number(written);
  return value >= least && value <= most ? value : undefined;
}

/** @returns null for an empty text */
function readOptional(text: string, least: number, most: number): number | null | undefined {
  return text.trim() === '' ? null : readWhole(text, least, most);
}

/** A number above zero, with a point as in the API: 1,5 could mean either. */
function readDecimal(text: string, most: number): number | undefined {
  const written = text.trim();
  if (!/^\d{1,10}(\.\d{1,10})?$/.test(written)) return undefined;
  const value = Number(written);
  return value > 0 && value <= most ? value : undefined;
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
