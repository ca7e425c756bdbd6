import { setTimeout as pause } from 'node:timers/promises';
import type { Loader } from '../load/loader.ts';
import { monotonicMs, type RunResult } from '../load/order.ts';
import { popularContentId } from '../population.ts';
import { forgetPeak, type Memory, readMemory } from '../proc/process-usage.ts';
import { adminKey } from '../servers.ts';
import type { Target } from './target.ts';

/** How a revocation of very many leases affects other requests. */
export interface RevocationResult {
  /** The answer's status. A 503 is a finding too, so it does not end the measurement. */
  status: number;
  revoked: number | null;
  tookMs: number;
  /** The load meanwhile, and for a while before and after. */
  load: RunResult;
  /** From the answer of the revocation to when the last request that got a key was sent. Negative: it was sent before the answer. */
  lastKeyAfterMs: number | null;
  /** Memory of each process before, and with the peak since then. */
  before: Memory[];
  after: Memory[];
}

/** Revokes the popular content while connected viewers ask for keys. Their states are cached. */
export async function revokeUnderLoad(
  target: Target,
  loader: Loader,
  { seconds, ratePerSecond }: { seconds: number; ratePerSecond: number },
): Promise<RevocationResult> {
  for (const { pid } of target.processes) forgetPeak(pid);
  const before = target.processes.map(({ pid }) => readMemory(pid));
  const loading = loader.run({ requests: seconds * ratePerSecond, ratePerSecond });
  await pause((seconds * 1_000) / 3);
  const startedAtMs = monotonicMs();
  const { status, revoked } = await revoke(target.url);
  const answeredAtMs = monotonicMs();
  const load = await loading;
  const last = load.lastPopularServedSentAtMs;
  return {
    status,
    revoked,
    tookMs: answeredAtMs - startedAtMs,
    load,
    lastKeyAfterMs: last === null ? null : last - answeredAtMs,
    before,
    after: target.processes.map(({ pid }) => readMemory(pid)),
  };
}

async function revoke(url: string): Promise<{ status: number; revoked: number | null }> {
  const answer = await fetch(`${url}/keys/leases/revoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contentId: popularContentId }),
  });
  const { revoked = null } = (await answer.json()) as { revoked?: number };
  return { status: answer.status, revoked };
}
