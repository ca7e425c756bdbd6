import { hostname } from 'node:os';
import { clockStepMessage } from '@latchkey/shared/db';
import { openAuditSink } from './audit-sink.ts';
import type { AuthConfig } from './config.ts';
import { countLastingFailures } from './count-lasting-failures.ts';
import { createAuditForwarder, readFirstUnsent } from './forward-audit.ts';
import type { RowCore } from './own-tables.ts';
import { createAuditPurge } from './purge-audit.ts';

/** Rows are kept for days, so a minute more does not matter. */
const purgeEveryMs = 60_000;
/** A row can be changed without a trace until it is sent. A run without work is a few small queries. */
const forwardEveryMs = 1_000;

/** Adds the jobs that forward and purge the audit. */
export function addAuditJobs({
  db,
  clock,
  log,
  values,
  jobs,
  metrics,
  isSeparate,
}: RowCore<AuthConfig>): void {
  const purge = createAuditPurge({
    db,
    clock,
    retention: {
      actsDays: values.auditKeepActsDays,
      refusalsDays: values.auditKeepRefusalsDays,
      strangersDays: values.auditKeepStrangersDays,
    },
    ...(values.auditForward && { readFirstKept: () => readFirstUnsent(db) }),
    observe: metrics.observePurge,
    // The lease service reports it for a single node.
    ...(isSeparate && {
      onClockStep: (waitMs: number) => log.warn(clockStepMessage, { waitSeconds: Math.ceil(waitMs / 1_000) }),
    }),
  });
  jobs.repeat({
    everyMs: purgeEveryMs,
    run: () => purge.run(),
    failed:
      'the audit could not be purged: it grows, and nothing else is affected. The next minute tries again',
    interrupt: () => purge.stop(),
  });
  if (!values.auditForward) return;
  const stopping = new AbortController();
  /** Every failure is logged by the job itself. */
  const counting = (run: () => Promise<unknown>) =>
    countLastingFailures(run, { clock, count: () => metrics.auditFailures.inc() });
  const sink = openAuditSink(values.auditForward, {
    host: hostname(),
    pid: process.pid,
    now: () => clock.now(),
  });
  const forwarder = createAuditForwarder({ db, clock, sink, signal: stopping.signal });
  jobs.repeat({
    everyMs: forwardEveryMs,
    run: counting(() => forwarder.run()),
    failed:
      'the audit could not be forwarded: rows wait in the database, and the retention leaves them there. Check AUDIT_FORWARD and the disk or the syslog server behind it',
    interrupt: () => stopping.abort(),
  });
}
