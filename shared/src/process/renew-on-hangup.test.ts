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

test('a reading counts as ok and sets its time, and one that cannot be used counts as failed', async () => {
  const file = join(makeTestFolder(), 'secret');
  writeFileSync(file, 'the-first-secret-of-a-test-with-32-bytes');
  const env = { INTERNAL_SECRET_FILE: file };
  const read = () => readConfig(internalVariables, env).values;
  const values = read();
  const clock = createManualClock();
  const metrics = createMetrics(clock);
  const startedAt = Math.floor(clock.now() / 1_000);
  const renew = createRenewal({ settings: internalVariables, env, values, read, log, metrics });
  const counted = async () => {
    const text = await metrics.registry.metrics();
    const counts = text.matchAll(/^latchkey_configuration_reads_total\{result="(\w+)"\} (\d+)$/gm);
    const [, lastRead] = /^latchkey_configuration_last_read_timestamp_seconds (\d+)$/m.exec(text) ?? [];
    return {
      ...Object.fromEntries([...counts].map(([, name, count]) => [name, Number(count)])),
      lastReadSeconds: Number(lastRead) - startedAt,
    };
  };
  writeFileSync(file, next);
  clock.advance(7_000);
  renew?.();
  expect(values.internalSecret.reveal()).toBe(next);
  expect(await counted()).toEqual({ ok: 1, failed: 0, lastReadSeconds: 7 });
  writeFileSync(file, '');
  clock.advance(7_000);
  renew?.();
  expect(values.internalSecret.reveal()).toBe(next);
  expect(await counted()).toEqual({ ok: 1, failed: 1, lastReadSeconds: 7 });
});
