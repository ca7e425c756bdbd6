import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extendableFrom, planExtension } from './session-rules.ts';

const time = fc.integer({ min: 0, max: 2_000 });
const leases = fc.record({
  createdAt: time,
  expiresAt: time,
  revokedAt: fc.option(time),
  session: fc.option(
    fc.record({ ttlMs: fc.integer({ min: 4, max: 1_000 }), endsAt: time, usedAt: fc.option(time) }),
    { nil: undefined },
  ),
});

test('a use extends an active session from the use on by its TTL, never beyond its end, never into the past, and not again within a quarter of the TTL', () => {
  fc.assert(
    fc.property(leases, time, time, ({ session, ...facts }, usedAt, now) => {
      const lease = session ? { ...facts, session } : facts;
      const plan = planExtension(lease, usedAt, now);
      const used = Math.min(usedAt, now);
      const isActive = lease.revokedAt === null && lease.expiresAt > now;
      const isDue = session !== undefined && isActive && used >= extendableFrom(lease, session);
      expect(plan !== null).toBe(isDue);
      if (!plan || !session) return;
      expect(plan.usedAt).toBe(used);
      expect(plan.expiresAt).toBe(Math.max(lease.expiresAt, Math.min(used + session.ttlMs, session.endsAt)));
      const after = { ...lease, expiresAt: plan.expiresAt, session: { ...session, usedAt: used } };
      expect(planExtension(after, used + Math.floor(session.ttlMs / 4) - 1, 2_001)).toBeNull();
    }),
    { numRuns: 1_000 },
  );
});
