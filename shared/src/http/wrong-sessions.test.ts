import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createWrongSessions } from './wrong-sessions.ts';

function setUp() {
  const clock = createManualClock();
  // No clock of a process says 0, which the cache would take for no time.
  clock.advance(1);
  const known = { value: null, loadNumber: 1, heldAtMs: 0, readAtMs: 0 };
  const wrong = createWrongSessions({
    leases: { glance: (id) => (id === 'known' ? known : undefined) },
    clock,
  });
  const headers = new Map<string, unknown>();
  const reply = {
    header: (name: string, value: unknown) => headers.set(name, value),
  } as unknown as FastifyReply;
  const mayLookUp = (leaseId: string, clientIp: string) => {
    try {
      wrong.assertMayLookUp({ leaseId, secretHash: '' }, { clientIp } as FastifyRequest, reply);
      return true;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { clock, wrong, headers, mayLookUp };
}

test('after a hundred wrong sessions an address has no more looked up for ten seconds, and the sessions that are known go on', () => {
  const { clock, wrong, headers, mayLookUp } = setUp();
  for (let n = 0; n < 99; n++) wrong.note('192.0.2.1');
  expect(mayLookUp('unknown', '192.0.2.1')).toBe(true);
  wrong.note('192.0.2.1');
  clock.advance(4_000);
  expect(mayLookUp('unknown', '192.0.2.1')).toBe('RATE_LIMITED');
  expect(Object.fromEntries(headers)).toEqual({
    'ratelimit-policy': '"sessions";q=100;w=10',
    ratelimit: '"sessions";r=0;t=6',
  });
  expect(mayLookUp('known', '192.0.2.1')).toBe(true);
  expect(mayLookUp('unknown', '192.0.2.2')).toBe(true);
  clock.advance(6_001);
  expect(mayLookUp('unknown', '192.0.2.1')).toBe(true);
});

test('the addresses of one IPv6 network count as one, and the senders that are counted are bounded', () => {
  const { wrong, mayLookUp } = setUp();
  for (let n = 0; n < 100; n++) wrong.note(`2001:db8::${n.toString(16)}`);
  expect(mayLookUp('unknown', '2001:db8::ffff')).toBe('RATE_LIMITED');
  for (let n = 0; n < 10_000; n++) wrong.note(`2001:db8:1:${n.toString(16)}::1`);
  expect(mayLookUp('unknown', '2001:db8::ffff')).toBe(true);
});
