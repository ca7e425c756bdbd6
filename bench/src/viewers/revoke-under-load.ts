import { setTimeout as pause } from 'node:timers/promises';
import type { Loader } from '../load/loader.ts';
import { monotonicMs, type RunResult } from '../load/order.ts';
import { popularContentId } from '../population.ts';
import { forgetPeak, type Memory, readMemory } from '../proc/process-usage.ts';
import { adminKey } from '../servers.ts';
import type { Target } from './target.ts';

/** What a revocation of very many leases does to the others. */
export interface RevocationResult {
  /** What it was answered with. A 503 here is a finding, and no reason to lose the others. */
  status: number;
  revoked: number | null;
  tookMs: number;
  /** The load meanwhile, and for a while before and after. */
  load: RunResult;
  /** From the answer of the revocation to the sending of the last request that still brought a key; negative: before it. */
  lastKeyAfterMs: number | null;
  /** Of each process, before, and with the peak since then. */
  before: Memory[];
  after: Memory[];
}

/** The viewers are connected and known: in the middle of their requests, the popular content is revoked. */
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
