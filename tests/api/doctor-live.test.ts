import { eventually } from '@latchkey/support/black-box/eventually';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { isSingleNode, makeApiKey, openShared } from '@latchkey/support/black-box/target';
import { findFreePort } from '@latchkey/support/find-free-port';
import { expect, it } from 'vitest';
import { runToExit } from './run-to-exit.ts';

const target = await openShared('plain');
const diagnose = (apiKey: string | undefined, ...args: string[]) =>
  runToExit(['doctor', '--live', ...args], apiKey);

const kindsOf = (processes: { service: string }[]) =>
  [...new Set(processes.map(({ service }) => service))].sort();

it('doctor --live finds a running installation healthy and shows each process with its version, clock and feed age', async () => {
  // A process that answers too slowly on a busy machine is reported as missing.
  const report = await eventually(async () => {
    const { exitCode, stdout, stderr } = await diagnose(target.adminApiKey, target.url, '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  });
  expect(report).toMatchObject({ status: 'healthy', ready: true, refused: null });
  const services = ['auth', 'content', 'gateway', 'key-derivation', 'leases', 'playback'];
  const nodes = report.processes.length > 1 ? ['key-derivation', 'single node'] : ['single node'];
  expect(kindsOf(report.processes)).toEqual(isSingleNode ? nodes : services);
  for (const process of report.processes) {
    expect(process).toMatchObject({ version: report.version, clockSkewMs: expect.any(Number) });
    // All run on this machine, so the bound on the error is the whole difference.
    expect(Math.abs(process.clockSkewMs)).toBeLessThanOrEqual(process.clockAccuracyMs);
  }
  const followers = report.processes.filter(
    ({ service }: { service: string }) => service === 'key-derivation',
  );
  for (const { feedAgeMs } of isSingleNode ? report.processes : followers)
    expect(feedAgeMs).toBeGreaterThanOrEqual(0);
  expect(Math.abs(report.clock.skewMs)).toBeLessThanOrEqual(report.clock.accuracyMs);
});

it('doctor --live without an API key shows readiness by dependency and reports what a key would add', async () => {
  const { exitCode, stdout } = await diagnose(undefined, target.url);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/ok {7}readiness: is ready/);
  expect(stdout).toMatch(/ok {7}database: is up/);
  expect(stdout).toContain('set LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE');
});

it('doctor --live ends with 2 when the server refuses the API key, still shows what is public, and never prints the key', async () => {
  const unknown = makeApiKey();
  const { raw } = await createApiKey(target, 'playback');
  for (const [key, code] of [
    [unknown, 'INVALID_API_KEY'],
    [raw, 'INSUFFICIENT_SCOPE'],
  ] as const) {
    const { exitCode, stdout, stderr } = await diagnose(key, target.url);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(code)]);
    expect(stdout).toContain('readiness: is ready');
    expect(stdout + stderr).not.toContain(key);
  }
});

it('doctor --live ends with 2 when nothing answers at the address', async () => {
  const { exitCode, stdout, stderr } = await diagnose(
    target.adminApiKey,
    `http://127.0.0.1:${await findFreePort()}`,
  );
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('cannot be reached (ECONNREFUSED)');
});
