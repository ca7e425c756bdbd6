import { describe, expect, test } from 'vitest';
import { openUpstream } from '../testing/test-upstream.ts';
import { AnswersAnother, NotStarted, Tries, TryElsewhere, Unresponsive, UnsureReplica } from './index.ts';

/** At these addresses nothing listens: the system gives such ports to nobody. */
const open = (count: number) =>
  openUpstream(Array.from({ length: count }, (_, index) => `http://127.0.0.1:${index + 1}`));
const broken = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
const timeOut = Object.assign(new Error('too long'), { name: 'TimeoutError' });

test.each([
  ['because no connection was made', refused],
  ['because the service is starting', new NotStarted()],
])(
  'a request with which nothing was done is tried once at each address, whatever its method: %s',
  (_why, error) => {
    const tries = new Tries(open(4), false);
    const asked = [tries.address?.origin];
    while (tries.next(error)) asked.push(tries.address?.origin);
    expect(asked).toHaveLength(4);
    expect(new Set(asked).size).toBe(4);
  },
);

describe('a request that may have been begun', () => {
  const causes: [string, Error][] = [
    ['its connection broke', broken],
    ['it got the answer of another request', new AnswersAnother()],
    ['its address is silent', new Unresponsive()],
    ['its time is over', timeOut],
    ['its process is unsure', new UnsureReplica()],
  ];

  test.each(causes)(
    'a request that changes nothing is sent once more, to another address: %s',
    (_why, error) => {
      const tries = new Tries(open(4), true);
      const first = tries.address;
      expect(tries.next(error)).toBe(true);
      expect(tries.address).not.toBe(first);
      expect(tries.next(error)).toBe(false);
    },
  );

  test('a request that changes nothing goes to each address once, while the answers report that another one may be able to answer', () => {
    const tries = new Tries(open(3), true);
    const asked = [tries.address];
    while (tries.next(new TryElsewhere())) asked.push(tries.address);
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(3);
    for (const [count, isSafe] of [
      [3, false],
      [1, true],
    ] as const)
      expect(new Tries(open(count), isSafe).next(new TryElsewhere())).toBe(false);
  });

  test.each(causes)('a request that changes something is never sent twice: %s', (_why, error) => {
    expect(new Tries(open(4), false).next(error)).toBe(false);
  });

  test.each(causes.slice(2))(
    'a request is not repeated if no other address is in the rotation: %s',
    (_why, error) => {
      const upstream = open(2);
      const tries = new Tries(upstream, true);
      upstream.pick()?.avoid();
      expect(tries.next(error)).toBe(false);
      expect(new Tries(open(1), true).next(error)).toBe(false);
    },
  );

  test('a request that changes nothing is repeated at the only address if its connection broke, because idle connections end in this way', () => {
    const tries = new Tries(open(1), true);
    expect(tries.next(broken)).toBe(true);
    expect(tries.next(broken)).toBe(false);
  });

  test('an answer that it failed is no reason to send a request again', () => {
    expect(new Tries(open(3), true).next(new Error('it answered 500'))).toBe(false);
  });

  test('an address that cannot answer one request stays in the rotation for others', () => {
    const upstream = open(2);
    new Tries(upstream, true).next(new TryElsewhere());
    expect(upstream.all().every(({ isInRotation }) => isInRotation)).toBe(true);
  });
});
