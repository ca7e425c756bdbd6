import type { Checks } from '../checks.ts';
import { film, type Means, prepareViewer, promisedKeys, registerFilm } from './paced-film.ts';
import { type SweepOptions, type SweepResult, sweepEpochs } from './sweep-epochs.ts';
import type { SweptServer } from './swept-server.ts';

interface Way extends Means, Pick<SweepOptions, 'connections' | 'reconnects'> {
  readonly name: string;
  /** Epochs of this sweep, in a run that is not full. */
  readonly epochs: number;
}

const mostEpochs = 10_000;
const fewerEpochs = 2_000;
/**
 * On a machine with more work than cores, Redis may not answer within the 50 ms of `redis-connection.ts`. A replica then
 * decides by its own bucket, so one sweep may get more than one bucket holds, and the next does not.
 */
const tries = 3;
/** Every way in which one viewer may hope for a second burst. */
const ways: readonly Way[] = [
  { name: 'one token, 1 connection', epochs: mostEpochs, connections: 1 },
  { name: 'one token, 64 connections', epochs: mostEpochs, connections: 64 },
  { name: 'a lease, 64 connections', epochs: fewerEpochs, connections: 64, leases: 1 },
  { name: '50 leases, 64 connections', epochs: fewerEpochs, connections: 64, leases: 50 },
  { name: 'two tokens, 64 connections', epochs: fewerEpochs, connections: 64, tokens: 2 },
  { name: 'a connection for each request', epochs: fewerEpochs, connections: 64, reconnects: true },
];

export const sweepColumns = [
  '| server | one viewer with | requests | keys | promised at most | in | other answers |',
  '|---|---|---|---|---|---|---|',
].join('\n');

/**
 * Lets one viewer after the other ask for thousands of epochs of a film. Returns rows of the table of `sweepColumns`.
 *
 * @param isFull 10,000 epochs in every way
 */
export async function measureSweeps(server: SweptServer, checks: Checks, isFull: boolean): Promise<string[]> {
  const rows: string[] = [];
  for (const way of ways.map((each) => (isFull ? { ...each, epochs: mostEpochs } : each))) {
    const results: SweepResult[] = [];
    do results.push(await sweepOnce(server, way));
    while (results.length < tries && !isWithin(server.buckets, results.at(-1)));
    rows.push(...results.map((result) => describe(server, way, result)));
    const counts = results.map(({ served }) => served.size).join(', ');
    checks.check(
      `${server.name}, ${way.name}: of ${way.epochs} epochs a burst, no more keys than promised, and otherwise refusals`,
      isWithin(server.buckets, results.at(-1)) &&
        results.every((result) => isWithin(server.replicas, result) && isOrderly(result)),
      `${counts} keys, ${results.map(({ others }) => describeOthers(others)).join(', ')}`,
    );
  }
  return rows;
}

const isWithin = (buckets: number, result: SweepResult | undefined) =>
  result !== undefined && result.served.size <= promisedKeys(buckets, result.elapsedMs);

/** A 503 says that a state could not be checked: with more work than cores, a lease may be read too late. It is no key. */
const unchecked = '503 DEPENDENCY_UNAVAILABLE';
const isOrderly = ({ served, others }: SweepResult) =>
  served.size >= film.burst && Object.keys(others).every((name) => name === unchecked);

async function sweepOnce(server: SweptServer, way: Way): Promise<SweepResult> {
  const requestOf = await prepareViewer(server, await registerFilm(server), way);
  let next = 0;
  const nextEpoch = () => (next < way.epochs ? next++ : undefined);
  return sweepEpochs({ ...way, origin: server.url, requestOf, nextEpoch });
}

function describe(
  server: SweptServer,
  way: Way,
  { served, requests, elapsedMs, others }: SweepResult,
): string {
  const cells = [
    server.name,
    way.name,
    requests.toLocaleString('en'),
    served.size,
    promisedKeys(server.buckets, elapsedMs),
    `${(elapsedMs / 1_000).toFixed(1)} s`,
    describeOthers(others),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function describeOthers(others: SweepResult['others']): string {
  const parts = Object.entries(others).map(([name, count]) => `${name}: ${count}`);
  return parts.length === 0 ? 'none' : parts.join(' · ');
}
