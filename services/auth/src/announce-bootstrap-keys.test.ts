import { hashCredential } from '@latchkey/shared/auth';
import { expect, test } from 'vitest';
import { createBootstrapKeyAnnouncer } from './announce-bootstrap-keys.ts';
import type { Ledger } from './own-tables.ts';

function setUp() {
  const setup: { bootstrapKeys: readonly string[] } = { bootstrapKeys: ['one'] };
  const state = { isDown: false };
  const changes: unknown[] = [];
  const ledger = {
    async write(work: (entry: object) => Promise<unknown>) {
      if (state.isDown) throw new Error('no database');
      return work({ change: async (change: unknown) => void changes.push(change) });
    },
  } as unknown as Ledger;
  return { setup, state, changes, announce: createBootstrapKeyAnnouncer(ledger, setup) };
}
const of = (key: string) => ({ kind: 'api-key', keyHash: hashCredential(key) });

test('a bootstrap key that begins and one that ends are announced once each, and nothing else', async () => {
  const { setup, changes, announce } = setUp();
  await announce();
  expect(changes).toEqual([]);
  setup.bootstrapKeys = ['two', 'one'];
  await announce();
  expect(changes).toEqual([of('two')]);
  setup.bootstrapKeys = ['two'];
  await announce();
  await announce();
  expect(changes).toEqual([of('two'), of('one')]);
});

test('without the database it is announced later', async () => {
  const { setup, state, changes, announce } = setUp();
  setup.bootstrapKeys = ['two'];
  state.isDown = true;
  await expect(announce()).rejects.toThrow('no database');
  state.isDown = false;
  await announce();
  expect(changes).toEqual([of('two'), of('one')]);
});
