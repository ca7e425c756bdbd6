import type { ProcessReport } from '@latchkey/shared/statistics';
import type { ChangeFigures } from './statistics-schema.ts';

/** As many as a page shows. */
const changesShown = 20;
export interface ReplicaReport {
  /** Its address. */
  name: string;
  report: ProcessReport;
}

/** The latest changes, newest first, and how soon each replica applied them. */
export function toChangeFigures(replicas: readonly ReplicaReport[]): ChangeFigures[] {
  const known = new Map(
    replicas.flatMap(({ report }) => report.changes.map((change) => [change.number, change])),
  );
  const latest = [...known.values()].sort((a, b) => b.number - a.number).slice(0, changesShown);
  return latest.map(({ number, at, kind, leaseId, viewerId, contentId }) => {
    const reached: ChangeFigures['reached'] = [];
    const pending: string[] = [];
    for (const { name, report } of replicas) {
      const applied = report.changes.find((change) => change.number === number);
      if (applied) reached.push({ replica: name, delayMs: applied.delayMs });
      else if (shouldKnow(report, number, at)) pending.push(name);
    }
    return {
      number,
      at: new Date(at).toISOString(),
      kind,
      leaseId,
      viewerId,
      contentId,
      slowestMs: reached.length > 0 ? Math.max(...reached.map(({ delayMs }) => delayMs)) : null,
      reached,
      pending,
    };
  });
}

/** Leaves out a replica that started later, and one that has dropped this change for newer ones. */
function shouldKnow(report: ProcessReport, number: number, at: number): boolean {
  const oldest = Math.min(...report.changes.map((change) => change.number));
  return report.startedAt < at && (report.changes.length === 0 || number > oldest);
}
