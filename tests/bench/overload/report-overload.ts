import type { PhaseResult } from '../load/open-loop.ts';
import { describeMachine } from '../proc/process-usage.ts';
import { table } from '../table.ts';
import {
  measureOverload,
  type OverloadFound,
  type OverloadOptions,
  type OverloadSample,
} from './measure-overload.ts';

/** The flags of the command that this measurement takes. */
interface OverloadFlags extends Pick<OverloadOptions, 'only' | 'say'> {
  seconds?: string | undefined;
  connections: string;
}

/** Long enough for thousands of requests at each rate, and the whole takes under four minutes. */
const defaultSeconds = 1;

/** Measures, and returns the machine with the tables. */
export async function describeOverload(flags: OverloadFlags): Promise<string> {
  const { only, say } = flags;
  const seconds = Number(flags.seconds ?? defaultSeconds);
  const found = await measureOverload({ only, say, seconds, connections: Number(flags.connections) });
  return `${describeMachine()}\n\n${reportOverload(found)}`;
}

/** One row for each server, rate and setting; another table for more connections. */
function reportOverload({ open, closed }: OverloadFound): string {
  const rates = table(
    [
      'requests',
      'load',
      '`OVERLOAD_DELAY_MS`',
      'served/s',
      'within 50 ms/s',
      'p99, ms',
      '503/s',
      'p99, ms',
      'afterwards 503 for, ms',
      'late for, ms',
    ],
    open.map(({ name, factor, setting, phase, afterwards }) => [
      name,
      `${factor} x`,
      named(setting),
      perSecond(phase, 'count', isServed),
      perSecond(phase, 'inTime', isServed),
      ms(p99(phase, isServed)),
      perSecond(phase, 'count', isRefused),
      ms(p99(phase, isRefused)),
      factor > 1 ? (afterwards.lastRefusedMs?.toFixed(0) ?? '-') : '-',
      factor > 1 ? (afterwards.lastLateMs?.toFixed(0) ?? '-') : '-',
    ]),
  );
  const crowds = table(
    [
      'requests',
      'connections that wait for each answer',
      '`OVERLOAD_DELAY_MS`',
      'served/s',
      'p99, ms',
      '503/s',
    ],
    closed.map(({ name, connections, setting, result: { statuses, seconds, p99Ms } }) => [
      name,
      String(connections),
      named(setting),
      round(sum(Object.entries(statuses), isServed) / seconds),
      ms(p99Ms),
      round(sum(Object.entries(statuses), isRefused) / seconds),
    ]),
  );
  return `${rates}\n\n${crowds}`;
}

const isServed = (status: string) => status.startsWith('2');
const isRefused = (status: string) => status === '503';
const named = (setting: OverloadSample['setting']) => (setting === 'off' ? '`off`' : '10');

function sum(counts: [string, number][], which: (status: string) => boolean): number {
  return counts.filter(([status]) => which(status)).reduce((all, [, count]) => all + count, 0);
}

function perSecond(
  { byStatus, seconds }: PhaseResult,
  what: 'count' | 'inTime',
  which: (status: string) => boolean,
): string {
  const counts = Object.entries(byStatus).map(([status, found]): [string, number] => [status, found[what]]);
  return round(sum(counts, which) / seconds);
}

/** Of the only status of its kind that a server gives here. */
function p99({ byStatus }: PhaseResult, which: (status: string) => boolean): number | undefined {
  return Object.entries(byStatus).find(([status]) => which(status))?.[1].p99Ms;
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function ms(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(1);
}
