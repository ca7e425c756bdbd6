import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../client.ts';
import { metricsPorts, readMetrics } from '../read-metrics.ts';
import type { ServerProcess } from '../server-process.ts';

/** A player asks again after a 503, which a busy machine may give. */
const pauseMs = 200;

/** All tokens ask at once for one key. @returns the different keys in hexadecimal digits, or texts of refusals, that they got */
export async function askAsPlayers(
  client: Client,
  path: string,
  tokens: readonly string[],
): Promise<Set<string>> {
  const ask = async (token: string): Promise<string> => {
    for (;;) {
      const { status, bytes } = await client.get(path, token);
      if (status !== 503) return status === 200 ? bytes.toString('hex') : bytes.toString();
      await pause(pauseMs);
    }
  };
  return new Set(await Promise.all(tokens.map(ask)));
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
