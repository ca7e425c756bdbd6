import { expect, test } from 'vitest';
import { openLeasesOnSqlite } from './lease.fixture.ts';

test('the gauge of active leases is counted when it is read, so it falls when leases expire', async () => {
  const leases = await openLeasesOnSqlite();
  const create = (viewerId: string) =>
    leases.ask('POST', '/keys/leases', leases.tokenOf(viewerId), { contentId: 'film' });
  await Promise.all([create('ann'), create('bob')]);
  expect(await leases.metrics.registry.metrics()).toContain('latchkey_active_leases{kind="lease"} 2\n');
  leases.clock.advance(300_000);
  expect(await leases.metrics.registry.metrics()).toContain('latchkey_active_leases{kind="lease"} 0\n');
});

test('the gauge of active leases is NaN while the database does not answer, and other metrics are still there', async () => {
  const leases = await openLeasesOnSqlite();
  await leases.db.destroy();
  const text = await leases.metrics.registry.metrics();
  expect(text).toContain('latchkey_active_leases{kind="lease"} Nan');
  expect(text).toContain('latchkey_player_stalls');
});
