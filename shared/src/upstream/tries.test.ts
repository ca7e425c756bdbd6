import { describe, expect, test } from 'vitest';
import { openUpstream } from '../testing/test-upstream.ts';
import { NotStarted, Tries, TryElsewhere, Unresponsive, UnsureReplica } from './index.ts';

const open = (count: number) =>
  openUpstream(Array.from({ length: count }, (_, index) => `http://127.0.0.1:${index + 1}`));
const broken = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
const timeOut = Object.assign(new Error('too long'), { name: 'TimeoutError' });

describe('a request that nobody has begun with', () => {
  test.each([
    ['because no connection was taken', refused],
    ['because the service is starting', new NotStarted()],
  ])('is tried at three addresses, whatever it is: %s', (_why, error) => {
    const tries = new Tries(open(4), false);
    const asked = [tries.member?.origin];
    while (tries.next(error)) asked.push(tries.member?.origin);
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(3);
  });
});

describe('a request that may have been begun', () => {
  const causes: [string, Error][] = [
    ['its connection broke', broken],
    ['its address is silent', new Unresponsive()],
    ['its time is over', timeOut],
    ['its process is unsure', new UnsureReplica()],
  ];

  test.each(causes)(
    'a safe request that may have been started goes to at most one other address: %s',
    (_why, error) => {
      const tries = new Tries(open(4), true);
      const first = tries.member;
      expect(tries.next(error)).toBe(true);
      expect(tries.member).not.toBe(first);
      expect(tries.next(error)).toBe(false);
    },
  );

  const elsewhere: [string, Error] = ['its address cannot answer', new TryElsewhere()];

  test.each([...causes, elsewhere])(
    'a request that changes something and may have been started is never sent twice: %s',
    (_why, error) => {
      expect(new Tries(open(4), false).next(error)).toBe(false);
    },
  );

  test.each([...causes.slice(1), elsewhere])(
    'a request that may have been started is not repeated where no other address is healthy: %s',
    (_why, error) => {
      const upstream = open(2);
      const tries = new Tries(upstream, true);
      upstream.pick()?.notePhase('unsure');
      expect(tries.next(error)).toBe(false);
      expect(new Tries(open(1), true).next(error)).toBe(false);
    },
  );

  test('a safe request whose connection broke is repeated at the only address, because idle connections end in this way', () => {
    const tries = new Tries(open(1), true);
    expect(tries.next(broken)).toBe(true);
    expect(tries.next(broken)).toBe(false);
  });

  test('a request that may have been started is not repeated once the budget is spent, and other failures spend none of it', () => {
    const upstream = open(3);
    expect(new Tries(upstream, true).next(new Error('it answered 500'))).toBe(false);
    let again = 0;
    // The address is sure again each time, so that only the budget can end it.
    for (let request = 0; request < 1_000; request++) {
      const tries = new Tries(upstream, true);
      const first = tries.member;
      if (tries.next(new UnsureReplica())) again++;
      first?.notePhase(undefined);
    }
    expect(again).toBeGreaterThan(300);
    expect(again).toBeLessThan(340);
  });
});

describe('a request that an address cannot answer', () => {
  test('a request that an address cannot answer goes to two others, once each, and the address keeps its turn for other requests', () => {
    const upstream = open(4);
    const tries = new Tries(upstream, true);
    const asked = [tries.member?.origin];
    while (tries.next(new TryElsewhere())) asked.push(tries.member?.origin);
    expect(new Set(asked).size).toBe(3);
    expect(asked).toHaveLength(3);
    const turns = Array.from({ length: 4 }, () => upstream.pickHealthy()?.origin);
    expect(new Set(turns).size).toBe(4);
  });

  test('a request never returns to an address that cannot answer it, whatever happens at the others', () => {
    for (const [failure, isTriedAgain] of [
      [new TryElsewhere(), false],
      [refused, true],
      [broken, true],
    ] as const) {
      const upstream = open(2);
      const tries = new Tries(upstream, true);
      const first = tries.member;
      upstream.pick();
      expect(tries.next(new TryElsewhere())).toBe(true);
      expect(tries.member).not.toBe(first);
      upstream.pick();
      expect(tries.next(failure)).toBe(isTriedAgain);
      expect(tries.member).not.toBe(first);
    }
  });

  test('a request that an address cannot answer is not repeated once the budget is spent', () => {
    const upstream = open(3);
    while (upstream.budget.spend());
    expect(new Tries(upstream, true).next(new TryElsewhere())).toBe(false);
  });
});
