import type { UsageReport } from '../contracts/index.ts';
import type { UsageCounts } from '../statistics/index.ts';
import { oneAtATime } from './gather-uses.ts';
import type { InternalClient } from './internal-client.ts';

/** How often minutes that are over are reported, and so how soon after its end a minute is shown. Without any, it costs nothing. */
export const reportUsageEveryMs = 5_000;

export const usagePath = '/internal/usage';

/** Writes a report once, however often it is called with it. Rejects if the report may not have been written. */
export type RecordUsage = (report: UsageReport) => Promise<unknown>;

interface UsageReporterOptions {
  counts: UsageCounts;
  /** 32 hex digits that no other process and no other start of this one has. */
  instance: string;
  record: RecordUsage;
  onFault: (error: unknown) => void;
}

export function createUsageReporter({ counts, instance, record, onFault }: UsageReporterOptions) {
  // Two at a time would only send a report twice.
  const flush = oneAtATime(async () => {
    try {
      for (const { number, at, counts: own } of counts.ended()) {
        await record({ id: `${instance}-${number}`, at, counts: own });
        counts.settle(number);
      }
    } catch (error) {
      onFault(error);
    }
  });
  return {
    /** Reports the minutes that are over. Never rejects: what could not be reported is kept for the next time. */
    flush,
    /** Same for the end of the process: the minute under way is reported, too. */
    async end(): Promise<void> {
      counts.end();
      await flush();
    },
  };
}

/** Reports usage to the auth service over HTTP. */
export function reportUsage(auth: InternalClient): RecordUsage {
  return (report) => auth.post(usagePath, report, () => undefined);
}
