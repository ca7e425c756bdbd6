import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import { metricsPorts, readMetrics } from './read-metrics.ts';
import type { ServerProcess } from './server-process.ts';

/** A player asks again after a 503 and where a connection breaks, as happens on a busy machine. */
const pauseMs = 200;
/** Requests under way. */
const atOnce = 100;

/** All tokens ask for one key. @returns the different keys in hexadecimal digits, or texts of refusals, that they got */
export async function askAsPlayers(
  client: Client,
  path: string,
  tokens: readonly string[],
): Promise<Set<string>> {
  const ask = async (token: string): Promise<string> => {
    for (;;) {
      const answer = await client.get(path, token).catch(ignoreLostConnection);
      if (answer && answer.status !== 503)
        return answer.status === 200 ? answer.bytes.toString('hex') : answer.bytes.toString();
      await pause(pauseMs);
    }
  };
  const left = [...tokens];
  const got = new Set<string>();
  const work = async () => {
    for (let token = left.pop(); token !== undefined; token = left.pop()) got.add(await ask(token));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return got;
}

/** @throws any other error */
export function ignoreLostConnection(error: unknown): null {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  if (code === 'ECONNRESET' || cause?.code === 'ECONNRESET') return null;
  throw error;
}

/** How many calls of the provider of the master key for a key were answered. */
export async function callsOf(server: ServerProcess): Promise<number> {
  const { samples } = await readMetrics(metricsPorts(server).get('single-node') ?? 0);
  const counts = samples.filter(
    ({ name, labels }) =>
      name === 'latchkey_master_key_call_duration_seconds_count' &&
      labels.purpose === 'key' &&
      labels.outcome === 'answered',
  );
  return counts.reduce((sum, { value }) => sum + value, 0);
}
