import type { Fate } from '@latchkey/shared/db';
import { claimIds, keepAnswers } from '@latchkey/shared/idempotency';
import type { Transaction } from '../own-tables.ts';
import type { ActResult, LeaseAct } from './lease-act.ts';

const table = 'lease_idempotency_keys';

function keyedActs(acts: readonly LeaseAct[]) {
  return acts.flatMap((act, place) => (act.kind === 'create' && act.once ? [{ place, once: act.once }] : []));
}

/** Claims the keys of acts whose request has an `Idempotency-Key`. @returns the places of acts whose key another request has or had */
export async function claimKeys(
  tx: Transaction,
  acts: readonly LeaseAct[],
  now: number,
): Promise<Set<number>> {
  const keyed = keyedActs(acts);
  const free = await claimIds(
    tx,
    table,
    keyed.map(({ once }) => once.id),
    now,
  );
  return new Set(keyed.flatMap(({ place }, n) => (free[n] ? [] : [place])));
}

/** Keeps the answers of keyed acts that were written. */
export async function keepActAnswers(
  tx: Transaction,
  acts: readonly LeaseAct[],
  fates: readonly Fate<ActResult>[],
  now: number,
): Promise<void> {
  const answers = keyedActs(acts).flatMap(({ place, once: { id, bodyHash, answerOf } }) => {
    const fate = fates[place];
    return typeof fate === 'object' && 'result' in fate ? [{ id, bodyHash, ...answerOf(fate.result) }] : [];
  });
  await keepAnswers(tx, table, answers, now);
}
