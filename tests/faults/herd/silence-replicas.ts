import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { countNames } from '../client/count-answers.ts';
import { createManagement, demand } from '../client/management.ts';
import type { Question } from '../client/send-request.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { keepBusy, pinTo } from './busy-core.ts';
import type { FleetAnswer } from './fleet.ts';
import { residentMiB } from './resident-memory.ts';
import { type Fleet, startFleet } from './start-fleet.ts';

/** Each has a connection. */
const viewers = 3_000;
/** Requests of all viewers together. */
const perSecond = 600;
/** The V8 heap of the gateway. With the memory of the connections it fits into a container of 512 MiB. */
export const gatewayHeapMiB = 256;
const contentId = 'herd-film';
/** The gateway shares this core with a busy loop, which leaves it half of the core. */
const gatewayCore = 0;
/** Requests per viewer before anything breaks: in the first seconds, code is not compiled yet. */
const warmRounds = 1.5;
const warmLimitMs = 60_000;
/** Keys flow if at least this share of the answers are keys. The rest is for a busy machine. */
const flowingPart = 0.95;
/** And if the keys are at least this share of the requests that were due: a few answers are not enough. */
const askedPart = 0.75;
const brokenMs = 10_000;
/** By then the gateway has found the replicas unresponsive: 0.5 s until it probes, 2 s for the probe, and its own slowness. */
const foundMs = 5_000;
/** How soon a refusal must come from then on. It takes a millisecond; the rest is for a busy machine. */
const refusalMs = 1_000;
const recoveryMs = 10_000;
const watchedMs = 15_000;

/** Pauses, then kills all key-derivation replicas while a herd of viewers goes on asking. Returns a table. */
export async function silenceReplicas(stack: Stack, checks: Checks): Promise<string> {
  const gateway = stack.gateways[0] as LatchkeyProcess;
  await demand(createManagement(() => gateway.url, adminKey).registerContent(contentId));
  const questions = Array.from({ length: viewers }, (_, index): Question => {
    const token = viewerToken(tokenSecret, `herd-${index}`);
    return { path: `/keys/${contentId}`, headers: { authorization: `Bearer ${token}` } };
  });
  await pinTo(gatewayCore, gateway.pid());
  const busy = keepBusy(gatewayCore);
  const fleet = startFleet({ origin: gateway.url, questions, perSecond });
  const rows: string[] = [];
  try {
    await sleep((viewers / perSecond) * warmRounds * 1_000);
    await waitUntilFlowing(fleet);
    for (const fault of faultsOf(stack.servers['key-derivation'])) {
      rows.push(await playFault(fault, { fleet, gateway }, checks));
      await stack.waitWhole();
    }
  } finally {
    fleet.stop();
    busy.stop();
  }
  return [
    '| all key-derivation replicas | before | meanwhile | refused within, p50 · p99 | keys again after | gateway memory |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** @throws Error if keys do not flow in time, so there is nothing to break */
async function waitUntilFlowing({ answers }: Fleet): Promise<void> {
  const limitMs = Date.now() + warmLimitMs;
  for (;;) {
    const counted = answers.length;
    await sleep(1_000);
    const seen = answers.slice(counted);
    if (isFlow(seen, perSecond)) return;
    if (Date.now() > limitMs)
      throw new Error(`keys do not flow before anything is broken: ${summarize(seen)}`);
  }
}

/** @param asked how many requests were due in that time */
function isFlow(answers: readonly FleetAnswer[], asked: number): boolean {
  const keys = answers.filter(({ status }) => status === 200).length;
  return keys >= flowingPart * answers.length && keys >= askedPart * asked;
}

/**
 * @param answers to requests that were sent after the replicas returned
 * @returns milliseconds from the return to the first second whose requests get keys; Infinity if there is no such second
 */
function flowingAfterMs(answers: readonly FleetAnswer[], returnedAtMs: number): number {
  const stepMs = 250;
  for (let fromMs = 0; fromMs + 1_000 <= watchedMs; fromMs += stepMs) {
    const sent = answers.filter(({ sentAtMs }) => {
      const atMs = sentAtMs - returnedAtMs;
      return atMs >= fromMs && atMs < fromMs + 1_000;
    });
    if (isFlow(sent, perSecond)) return fromMs;
  }
  return Number.POSITIVE_INFINITY;
}

interface HerdFault {
  name: string;
  begin: () => Promise<void>;
  end: () => Promise<void>;
}

function faultsOf(replicas: readonly LatchkeyProcess[]): HerdFault[] {
  const each = (act: (server: LatchkeyProcess) => unknown) => async () =>
    void (await Promise.all(replicas.map(act)));
  return [
    {
      name: 'paused',
      begin: each((server) => server.signal('SIGSTOP')),
      end: each((server) => server.signal('SIGCONT')),
    },
    {
      name: 'killed',
      begin: each((server) => server.end('SIGKILL')),
      async end() {
        for (const server of replicas) server.start();
        await Promise.all(replicas.map((server) => server.waitReady()));
      },
    },
  ];
}

interface Scene {
  fleet: Fleet;
  gateway: LatchkeyProcess;
}

async function playFault(fault: HerdFault, { fleet, gateway }: Scene, checks: Checks): Promise<string> {
  const { answers } = fleet;
  const startMs = Date.now();
  let [mostMiB, printed] = [0, answers.length];
  const timer = setInterval(() => {
    mostMiB = Math.max(mostMiB, residentMiB(gateway.pid()));
    const atSeconds = ((Date.now() - startMs) / 1_000).toFixed(0);
    checks.say(
      `  ${atSeconds} s · ${summarize(answers.slice(printed))} · waiting ${fleet.waiting()} · ${mostMiB} MiB`,
    );
    printed = answers.length;
  }, 1_000);
  const before = answers.length;
  await sleep(3_000);
  const broken = answers.length;
  const brokenAtMs = Date.now();
  await fault.begin();
  await sleep(brokenMs);
  const endingAtMs = Date.now();
  await fault.end();
  const mendedAtMs = Date.now();
  await sleep(watchedMs);
  clearInterval(timer);

  const meanwhile = answers.slice(broken).filter(({ sentAtMs }) => sentAtMs < mendedAtMs);
  const refused = meanwhile.filter(
    ({ sentAtMs, doneAtMs }) => sentAtMs > brokenAtMs + foundMs && doneAtMs < endingAtMs,
  );
  const durations = refused.map(({ sentAtMs, doneAtMs }) => doneAtMs - sentAtMs).sort((a, b) => a - b);
  const at = (share: number) => durations[Math.floor(durations.length * share)] ?? Number.NaN;
  const afterwards = answers.filter(({ sentAtMs }) => sentAtMs >= mendedAtMs);
  const againMs = flowingAfterMs(afterwards, mendedAtMs);
  const later = afterwards.filter(({ sentAtMs }) => sentAtMs >= mendedAtMs + againMs);
  const { name } = fault;
  checks.check(
    `all replicas ${name}: once the gateway knows it, requests get 503 with Retry-After at once`,
    refused.length > 0 &&
      refused.every(({ status, retryAfter }) => status === 503 && retryAfter !== null) &&
      at(0.99) < refusalMs,
    `${summarize(refused)}, p99 ${at(0.99).toFixed(0)} ms`,
  );
  checks.check(
    `all replicas ${name}: keys flow again within ${recoveryMs / 1_000} s of their return and go on flowing, while viewers ask on`,
    againMs < recoveryMs && isFlow(later, ((watchedMs - againMs) / 1_000) * perSecond),
    `${summarize(afterwards)}, again after ${againMs.toFixed(0)} ms, then ${summarize(later)}`,
  );
  checks.check(
    `all replicas ${name}: the gateway survives with a heap of ${gatewayHeapMiB} MiB`,
    gateway.isRunning(),
    `${mostMiB} MiB in all`,
  );
  return `| ${[
    name,
    summarize(answers.slice(before, broken)),
    summarize(meanwhile),
    `${at(0.5).toFixed(0)} ms · ${at(0.99).toFixed(0)} ms`,
    `${(againMs / 1_000).toFixed(1)} s`,
    `${mostMiB} MiB`,
  ].join(' | ')} |`;
}

function summarize(answers: readonly FleetAnswer[]): string {
  return countNames(answers.map(({ status }) => String(status || 'no answer')));
}
