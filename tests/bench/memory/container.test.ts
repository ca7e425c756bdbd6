import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeAbandoned } from './container.ts';

let groups: string;
beforeEach(() => {
  groups = mkdtempSync(join(tmpdir(), 'latchkey-groups-'));
});
afterEach(() => rmSync(groups, { recursive: true }));

/** Linux gives no process such an id: `pid_max` is at most 2^22 (proc(5)). */
const noProcess = 2 ** 22 + 1;

test.runIf(process.platform === 'linux')(
  'a measurement removes the control groups of killed measurements, and no other group',
  () => {
    const others = [`latchkey-bench-${process.pid}`, 'latchkey-bench', 'system.slice'];
    for (const name of [`latchkey-bench-${noProcess}`, ...others]) mkdirSync(join(groups, name));
    removeAbandoned(groups);
    expect(readdirSync(groups).sort()).toEqual(others.sort());
  },
);

test('an abandoned control group in which a process still runs does not stop a measurement', () => {
  mkdirSync(join(groups, `latchkey-bench-${noProcess}`, 'busy'), { recursive: true });
  expect(() => removeAbandoned(groups)).not.toThrow();
});
