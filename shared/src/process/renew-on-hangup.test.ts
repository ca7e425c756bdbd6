import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { internalVariables, readConfig } from '../config/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
import { createRenewal } from './renew-on-hangup.ts';

const log = { info() {}, warn() {}, error() {} };
const next = 'the-next-secret-of-a-test-with-32-bytes-or-more';

test.each([
  [true, 'ok'],
  [false, 'failed'],
])('a reading counts only once other processes have it, or could not get it: %s', async (isTaken, result) => {
  const file = join(makeTestFolder(), 'secret');
  writeFileSync(file, 'the-first-secret-of-a-test-with-32-bytes');
  const env = { INTERNAL_SECRET_FILE: file };
  const read = () => readConfig(internalVariables, env).values;
  const values = read();
  const clock = createManualClock();
  const metrics = createMetrics(clock);
  const startedAt = Math.floor(clock.now() / 1_000);
  const taken = Promise.withResolvers<boolean>();
  const renew = createRenewal({
    ...{ settings: internalVariables, env, values, read, log, metrics },
    follow: () => taken.promise,
  });
  const counted = async () => {
    const text = await metrics.registry.metrics();
    const counts = text.matchAll(/^latchkey_configuration_reads_total\{result="(\w+)"\} (\d+)$/gm);
    const [, lastRead] = /^latchkey_configuration_last_read_timestamp_seconds (\d+)$/m.exec(text) ?? [];
    return {
      counts: [...counts].flatMap(([, name, count]) => (Number(count) > 0 ? [[name, Number(count)]] : [])),
      lastReadSeconds: Number(lastRead) - startedAt,
    };
  };
  writeFileSync(file, next);
  renew?.();
  expect(values.internalSecret.reveal()).toBe(next);
  clock.advance(7_000);
  expect(await counted()).toEqual({ counts: [], lastReadSeconds: 0 });
  taken.resolve(isTaken);
  await taken.promise;
  expect(await counted()).toEqual({ counts: [[result, 1]], lastReadSeconds: isTaken ? 7 : 0 });
});
