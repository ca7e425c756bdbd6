import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { internalVariables, readConfig } from '../config/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createRenewal } from './renew-on-hangup.ts';

const log = { info() {}, warn() {}, error() {} };
const next = 'the-next-secret-of-a-test-with-32-bytes-or-more';

test.each([
  [true, 'ok'],
  [false, 'failed'],
])('a reading counts only once other processes have it, or could not get it: %s', async (isTaken, result) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-renewal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, 'the-first-secret-of-a-test-with-32-bytes');
  const env = { INTERNAL_SECRET_FILE: file };
  const read = () => readConfig(internalVariables, env).values;
  const values = read();
  const metrics = createMetrics();
  const taken = Promise.withResolvers<boolean>();
  const renew = createRenewal({
    ...{ settings: internalVariables, env, values, read, log, metrics },
    follow: () => taken.promise,
  });
  const counted = async () => {
    const { values: counts } = await metrics.configurationReads.get();
    return counts.flatMap(({ labels, value }) => (value > 0 ? [[labels.result, value]] : []));
  };
  writeFileSync(file, next);
  renew?.();
  expect(values.internalSecret.reveal()).toBe(next);
  expect(await counted()).toEqual([]);
  taken.resolve(isTaken);
  await taken.promise;
  expect(await counted()).toEqual([[result, 1]]);
});
