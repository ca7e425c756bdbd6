import { describeMachine } from '../proc/process-usage.ts';
import { table } from '../table.ts';
import { measureOverload, type OverloadOptions, type OverloadSample } from './measure-overload.ts';

/** The flags of the command that this measurement takes. */
interface OverloadFlags extends Pick<OverloadOptions, 'only' | 'say'> {
  seconds?: string | undefined;
  connections: string;
}

/** Long enough for thousands of requests at each rate, and the whole takes two minutes. */
const defaultSeconds = 3;

/** Measures, and returns the machine with the table. */
export async function describeOverload(flags: OverloadFlags): Promise<string> {
  const { only, say } = flags;
  const seconds = Number(flags.seconds ?? defaultSeconds);
  const samples = await measureOverload({ only, say, seconds, connections: Number(flags.connections) });
  return `${describeMachine()}\n\n${reportOverload(samples)}`;
}

/** One row for each server and rate. */
function reportOverload(samples: readonly OverloadSample[]): string {
  return table(
    [
      'key requests',
      'load',
      'sent/s',
      'served/s',
      'p50, p99, ms',
      '503/s',
      'p99, ms',
      'afterwards 503 for, ms',
      'late for, ms',
    ],
    samples.map(({ name, factor, ratePerSecond, phase, afterwards }) => {
      const { '200': served, '503': refused } = phase.byStatus;
      return [
        name,
        `${factor} x`,
        count(ratePerSecond),
        count((served?.count ?? 0) / phase.seconds),
        `${ms(served?.p50Ms)}, ${ms(served?.p99Ms)}`,
        count((refused?.count ?? 0) / phase.seconds),
        ms(refused?.p99Ms),
        afterwards.lastRefusedMs?.toFixed(0) ?? '-',
        afterwards.lastLateMs?.toFixed(0) ?? '-',
      ];
    }),
  );
}

function count(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en');
}

function ms(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(1);
}
