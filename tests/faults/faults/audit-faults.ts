import { runSql } from '@latchkey/support/stores/run-sql';
import { type Answer, ask } from '../client/send-request.ts';
import type { Stack } from '../stack/stack.ts';
import { brokenSeconds, type Fault } from './fault.ts';

/** The rows of a year on a busy server. Making them takes some ten seconds, with the indexes. */
const rowsOfFullAudit = 500_000;
/** Strangers at a time: enough to keep the processes busy, few enough to leave viewers processor time on the same four cores. */
const strangers = 16;
/** Rows that a process may write for strangers in a minute: 60 addresses, and one more for each action. */
const rowsPerMinute = 61;
/** Auth, content and leases write the audit. The 7 s touch two minutes at most. */
const mostRows = 3 * 2 * rowsPerMinute;
/** A refusal waits up to a second for its row. The other two are for a busy machine. */
const refusalLimitMs = 3_000;

/** An audit that accepts no rows, and one that already has very many. */
export function auditFaults(): Fault[] {
  return [auditTakesNoRows(), floodOfStrangers()];
}

/** As on a full disk: a change whose audit row cannot be written does not happen. A refusal is still answered. */
function auditTakesNoRows(): Fault {
  return {
    name: 'the audit takes no rows',
    seconds: brokenSeconds,
    unseenByViewers: true,
    async begin({ databaseUrl }) {
      await runSql(
        databaseUrl,
        `create or replace function refuse_audit() returns trigger language plpgsql as
           $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`,
        'create trigger audit_is_full before insert on audit for each row execute function refuse_audit()',
      );
    },
    async end(stack) {
      const refusals = await Promise.all(Array.from({ length: strangers }, () => beRefused(stack)));
      await runSql(stack.databaseUrl, 'drop trigger audit_is_full on audit', 'drop function refuse_audit()');
      const wrong = refusals.filter(
        ({ status, sentAtMs, doneAtMs }) => status !== 401 || doneAtMs - sentAtMs > refusalLimitMs,
      );
      if (wrong.length > 0)
        throw new Error(
          `${wrong.length} refusals were not answered 401 in time: ${JSON.stringify(wrong[0])}`,
        );
    },
  };
}

/** Strangers send wrong API keys as fast as they are answered, on an audit of half a million rows. */
function floodOfStrangers(): Fault {
  let flood: { stop(): Promise<number> } | null = null;
  let before = 0;
  return {
    name: `strangers flood an audit of ${rowsOfFullAudit.toLocaleString('en')} rows`,
    seconds: brokenSeconds,
    unseenByViewers: true,
    async begin(stack) {
      await runSql(
        stack.databaseUrl,
        `insert into audit (at, actor_kind, actor_id, action, target, client_ip, request_id, outcome, code)
         select n, 'viewer', 'old-' || n % 1000, 'lease.list', null, '203.0.113.7', 'old-' || n, 'refused', 'INSUFFICIENT_SCOPE'
         from generate_series(1, ${rowsOfFullAudit}) n`,
      );
      before = await countStrangers(stack);
      flood = startFlood(stack);
    },
    async end(stack) {
      const refused = (await flood?.stop()) ?? 0;
      const rows = (await countStrangers(stack)) - before;
      await runSql(stack.databaseUrl, `delete from audit where at <= ${rowsOfFullAudit}`);
      if (refused === 0 || rows > mostRows)
        throw new Error(`${refused} refusals of strangers left ${rows} rows, and ${mostRows} are the most`);
    },
  };
}

const beRefused = ({ gateways }: Stack): Promise<Answer> =>
  ask(gateways[0]?.url ?? '', {
    path: '/api/v1/content',
    headers: { authorization: `Bearer lk_${'0'.repeat(64)}` },
  });

/** Sends wrong API keys until it is stopped. `stop` returns how many were refused. */
function startFlood(stack: Stack): { stop(): Promise<number> } {
  let isOver = false;
  let refused = 0;
  const senders = Array.from({ length: strangers }, async () => {
    while (!isOver) if ((await beRefused(stack)).status === 401) refused++;
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(senders);
      return refused;
    },
  };
}

async function countStrangers({ databaseUrl }: Stack): Promise<number> {
  const [row] = await runSql(
    databaseUrl,
    "select count(*) as rows from audit where actor_kind = 'anonymous' and outcome = 'refused'",
  );
  return Number(row?.rows);
}
