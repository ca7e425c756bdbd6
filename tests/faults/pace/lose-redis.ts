import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import type { Stack } from '../stack/stack.ts';
import { describeOthers } from './measure-sweeps.ts';
import { film, prepareViewer, promisedKeys, registerFilm } from './paced-film.ts';
import { sweepEpochs } from './sweep-epochs.ts';
import { asSwept } from './swept-server.ts';

/** The sweep goes on before, during and after the loss. */
const phaseMs = 6_000;
const connections = 16;
/**
 * A request that waited for Redis would take as long as Redis is away. This is half of it: far above what a busy machine
 * adds, and above the 150 ms after which a replica counts Redis as lost (three commands of 50 ms, `redis-connection.ts`).
 */
const waitsFromMs = phaseMs / 2;

export const lossColumns = [
  '| Redis, in the middle of a sweep | requests | keys | promised at most | 99 of 100 answers within | all within | other answers |',
  '|---|---|---|---|---|---|---|',
].join('\n');

/**
 * Redis is killed, or paused, in the middle of a sweep, and comes back. The bound is looser then, and nothing else may
 * change. Returns rows of the table of `lossColumns`.
 */
export async function loseRedis(stack: Stack, checks: Checks): Promise<string[]> {
  const { redis } = stack.backings;
  const losses = [
    { name: 'killed, and empty when it is back', lose: () => redis.kill(), restore: () => redis.start() },
    {
      name: 'paused, and back with what it held',
      lose: async () => redis.pause(),
      restore: async () => redis.resume(),
    },
  ];
  const rows: string[] = [];
  for (const { name, lose, restore } of losses) {
    const server = asSwept(stack, true);
    const requestOf = await prepareViewer(server, await registerFilm(server), {});
    let [next, isOver] = [0, false];
    const sweeping = sweepEpochs({
      origin: server.url,
      connections,
      requestOf,
      nextEpoch: () => (isOver ? undefined : next++ % film.count),
    });
    await sleep(phaseMs);
    await lose();
    await sleep(phaseMs);
    await restore();
    await sleep(phaseMs);
    isOver = true;
    const { served, others, requests, elapsedMs, p99Ms, slowestMs } = await sweeping;
    await stack.waitWhole();
    const promised = promisedKeys(server.replicas, elapsedMs);
    const ms = (value: number) => `${Math.round(value)} ms`;
    rows.push(
      `| ${name} | ${requests.toLocaleString('en')} | ${served.size} | ${promised} | ${ms(p99Ms)} | ${ms(slowestMs)} | ${describeOthers(others)} |`,
    );
    checks.check(
      `Redis ${name}: no more keys than one bucket for each replica holds`,
      served.size <= promised && served.size >= film.burst,
      `${served.size} of ${promised}`,
    );
    checks.check(`Redis ${name}: no error`, Object.keys(others).length === 0, describeOthers(others));
    checks.check(`Redis ${name}: no request waits for it`, slowestMs < waitsFromMs, ms(slowestMs));
  }
  return rows;
}
