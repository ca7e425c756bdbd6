import { Secret } from '@latchkey/shared/config';
import { expect, it } from 'vitest';
import { CustodianFault } from './key-custodian.ts';
import type { VaultClient } from './vault-client.ts';
import { createVaultLogin } from './vault-login.ts';

const granted = (seconds: number, renewable = true) => ({
  auth: { client_token: 'ignored', lease_duration: seconds, renewable },
});

/** A login whose timers the test runs, and whose renewals it answers. */
function setUp(renewal: () => unknown) {
  const timers: { ms: number; work: () => void }[] = [];
  const paths: string[] = [];
  const client: VaultClient = {
    async call(_method, path) {
      paths.push(path);
      return renewal();
    },
    close: async () => {},
  };
  const tokens = createVaultLogin({
    client,
    login: { token: new Secret('given'), tokenFile: undefined },
    after(ms, work) {
      const timer = { ms, work };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  /** Runs the next timer, and what it begins. */
  const pass = async () => {
    const timer = timers.shift();
    timer?.work();
    await new Promise((resolve) => setImmediate(resolve));
    return timer?.ms;
  };
  return { tokens, timers, paths, pass };
}

it('a token is renewed at half of its time, again and again', async () => {
  const { tokens, paths, pass } = setUp(() => granted(3_600));
  expect(await tokens.withToken(async (token) => token)).toBe('given');
  expect([await pass(), await pass(), await pass()]).toEqual([5_000, 1_800_000, 1_800_000]);
  expect(paths).toEqual(Array(3).fill('auth/token/renew-self'));
  expect(await tokens.withToken(async (token) => token)).toBe('given');
});

it('a renewal that fails is made again sooner, and one that is refused is not', async () => {
  const answers: unknown[] = [granted(3_600), new CustodianFault('away', 'gone'), granted(3_600)];
  const { tokens, timers, pass } = setUp(() => {
    const next = answers.shift() ?? new CustodianFault('refused', 'not renewable');
    if (next instanceof Error) throw next;
    return next;
  });
  await tokens.withToken(async () => null);
  expect([await pass(), await pass(), await pass(), await pass()]).toEqual([
    5_000, 1_800_000, 900_000, 1_800_000,
  ]);
  expect(timers).toEqual([]);
});

it('a token that never ends, and a process that ends, leave no timer', async () => {
  const endless = setUp(() => granted(0));
  await endless.tokens.withToken(async () => null);
  await endless.pass();
  expect(endless.timers).toEqual([]);
  const ended = setUp(() => granted(3_600));
  await ended.tokens.withToken(async () => null);
  ended.tokens.close();
  expect(ended.timers).toEqual([]);
});

it('a token of 400 days is renewed within the time that a timer can count', async () => {
  const { tokens, pass } = setUp(() => granted(400 * 86_400));
  await tokens.withToken(async () => null);
  await pass();
  expect(await pass()).toBe(86_400_000);
});
