import type { ProcessReport } from '@latchkey/shared/statistics';
import type { ProcessFigures } from './statistics-schema.ts';

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
