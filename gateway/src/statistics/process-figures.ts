import type { ProcessReport } from '@latchkey/shared/statistics';
import type { ProcessFigures, Refusal } from './statistics-schema.ts';

export interface ReportingProcess {
  /** The kind of process, such as `gateway` or `leases`. */
  service: string;
  /** Host and port, or a name. */
  address: string;
  report: ProcessReport;
  /**
   * When this process sent its question and had the answer, by its own clock, in milliseconds since 1970. Left out for a process on the same
   * machine: they share a clock.
   */
  asked?: { sentAt: number; receivedAt: number };
}

/** Versions, feed age and clock of one process, as an operator compares them. */
export function toProcessFigures({ service, address, report, asked }: ReportingProcess): ProcessFigures {
  const { version, startedAt, feed } = report;
  return {
    service,
    address,
    version,
    startedAt: new Date(startedAt).toISOString(),
    feedAgeMs: feed?.ageMs == null ? null : Math.round(feed.ageMs),
    feedLimitMs: feed?.limitMs ?? null,
    ...compareClocks(report.now, asked),
  };
}

/**
 * The other process read its clock at some instant between question and answer. So half of the round trip bounds the error, however
 * unequal the two ways were.
 */
function compareClocks(
  now: number,
  asked: ReportingProcess['asked'],
): Pick<ProcessFigures, 'clockSkewMs' | 'clockAccuracyMs'> {
  if (!asked) return { clockSkewMs: 0, clockAccuracyMs: 0 };
  const { sentAt, receivedAt } = asked;
  return {
    clockSkewMs: Math.round(now - (sentAt + receivedAt) / 2),
    // One more, because the three times are whole milliseconds.
    clockAccuracyMs: Math.ceil(Math.max(0, receivedAt - sentAt) / 2) + 1,
  };
}

/**
 * The latest refusals of all processes, newest first. A request that was forwarded is known to the gateway and to the service that refused it:
 * the service says more of it, and is named.
 *
 * @param processes the one that forwards first
 */
export function listRefusals(processes: readonly ReportingProcess[], limit: number): Refusal[] {
  const byRequest = new Map<string, Refusal>();
  for (const { service, address, report } of processes)
    for (const refused of report.refusals ?? []) {
      const { issuedAt, ...others } = refused;
      const { requestId, code, contentId, epoch } = others;
      byRequest.set(JSON.stringify([requestId, code, contentId, epoch]), {
        ...others,
        at: new Date(refused.at).toISOString(),
        ...(issuedAt !== undefined && {
          issuedAt: issuedAt === null ? null : new Date(issuedAt).toISOString(),
        }),
        process: `${service} ${address}`,
      });
    }
  return [...byRequest.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
}
