import { hostname } from 'node:os';
import { createAuditSealer } from '@latchkey/shared/audit';
import { readAuditRetention } from '@latchkey/shared/config';
import { clockStepMessage } from '@latchkey/shared/db';
import { openAuditSink } from './audit-sink.ts';
import type { AuthConfig } from './config.ts';
import { countLastingFailures } from './count-lasting-failures.ts';
import { forwardAudit, type LostPlaces } from './forward-audit.ts';
import type { RowCore } from './own-tables.ts';
import { createAuditPurge } from './purge-audit.ts';

/** Rows are kept for days, so a minute more does not matter. */
const purgeEveryMs = 60_000;
/** A row can be changed without a trace until it is chained. A run without work is a few small queries. */
const sealEveryMs = 1_000;
const forwardEveryMs = 1_000;

/** What the auth service does with the audit beside requests: it chains, forwards and purges it. */
export function addAuditJobs({
  db,
  clock,
  log,
  values,
  jobs,
  metrics,
  isSeparate,
}: RowCore<AuthConfig>): void {
  /** Every failure is logged by the job itself. */
  const counting = (run: () => Promise<unknown>) =>
    countLastingFailures(run, { clock, count: () => metrics.auditFailures.inc() });
  const purge = createAuditPurge({
    db,
    clock,
    retention: readAuditRetention(values),
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
  const secret = values.auditChainSecret?.reveal() ?? null;
  const sealer = createAuditSealer({ db: db, clock, secret });
  jobs.repeat({
    everyMs: sealEveryMs,
    run: counting(() => sealer.run()),
    failed:
      'the audit could not be chained: rows are written all the same, and are chained once it works. Check whether the database takes writes, and the rights of this role (latchkey migrate --roles)',
    interrupt: () => sealer.stop(),
  });
  if (!values.auditForward) return;
  const stopping = new AbortController();
  const sink = openAuditSink(values.auditForward, {
    host: hostname(),
    pid: process.pid,
    now: () => clock.now(),
  });
  const onLost = (lost: LostPlaces) =>
    log.warn(
      'rows of the audit were removed by their retention before they were forwarded: AUDIT_FORWARD never gets them. They were older than AUDIT_KEEP_ACTS_DAYS, AUDIT_KEEP_REFUSALS_DAYS or AUDIT_KEEP_STRANGERS_DAYS',
      { ...lost },
    );
  jobs.repeat({
    everyMs: forwardEveryMs,
    run: counting(() => forwardAudit({ db, sink, signal: stopping.signal, onLost })),
    failed:
      'the audit could not be forwarded: rows wait in the database, until their retention removes them. Check AUDIT_FORWARD and the disk or the syslog server behind it',
    interrupt: () => stopping.abort(),
  });
}
