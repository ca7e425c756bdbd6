import { createManualClock } from '@latchkey/shared/testing';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCustodianCalls } from './call-custodian.ts';
import { CustodianFault, type KeyCustodian } from './key-custodian.ts';

const message = Buffer.from('film\x01');
const block = Buffer.alloc(32, 5);
const unavailable = { code: 'DEPENDENCY_UNAVAILABLE' };

let answer: KeyCustodian['mac'];
let calls: number;
let outcomes: string[];
let faults: string[];
let pauses: number[];
let open: number;
let mostOpen: number;

function setUp() {
  const clock = createManualClock();
  [calls, open, mostOpen] = [0, 0, 0];
  [outcomes, faults, pauses] = [[], [], []];
  const custodian: KeyCustodian = {
    async mac(given, signal) {
      calls++;
      open++;
      mostOpen = Math.max(mostOpen, open);
      try {
        return await answer(given, signal);
      } finally {
        open--;
      }
    },
    close: async () => {},
  };
  const custody = createCustodianCalls({
    custodian,
    clock,
    random: () => 0.5,
    async pause(ms) {
      pauses.push(ms);
      clock.advance(ms);
    },
    onCall: (purpose, outcome) => void outcomes.push(`${purpose} ${outcome}`),
    onFault: ({ message }) => void faults.push(message),
  });
  return { clock, custody };
}

const away = new CustodianFault('away', 'connection refused');
const failing = (fault: CustodianFault) => async () => {
  throw fault;
};

beforeEach(() => {
  answer = async () => block;
});

describe('calls of a custodian', () => {
  test('ten thousand calls at once are made 32 at a time, and all are answered', async () => {
    answer = () => new Promise((resolve) => setImmediate(() => resolve(block)));
    const { custody } = setUp();
    const all = Array.from({ length: 10_000 }, () => custody.mac(message));
    expect(custody.state()).toEqual({ fault: null, underWay: 32, waiting: 9_968 });
    expect(new Set(await Promise.all(all))).toEqual(new Set([block]));
    expect([calls, mostOpen]).toEqual([10_000, 32]);
    expect(custody.state()).toEqual({ fault: null, underWay: 0, waiting: 0 });
  });

  test('a call beyond ten thousand that wait is refused at once', async () => {
    const end = Promise.withResolvers<Buffer>();
    answer = () => end.promise;
    const { custody } = setUp();
    const all = Array.from({ length: 10_032 }, () => custody.mac(message));
    await expect(custody.mac(message)).rejects.toMatchObject(unavailable);
    end.resolve(block);
    await Promise.all(all);
  });

  test('a call that fails once or twice is made again after a growing pause, and a throttled one after the time that was asked for', async () => {
    const { custody } = setUp();
    answer = async () => {
      if (calls < 3) throw away;
      return block;
    };
    expect(await custody.mac(message)).toBe(block);
    expect(pauses).toEqual([75, 150]);
    expect(outcomes).toEqual(['key away', 'key away', 'key answered']);
    expect(faults).toEqual(['connection refused']);
    pauses.length = 0;
    answer = async () => {
      if (calls < 5) throw new CustodianFault('throttled', 'slow down', { retryAfterMs: 900 });
      return block;
    };
    expect(await custody.mac(message)).toBe(block);
    expect(pauses).toEqual([900]);
  });

  test('a custodian that is away is left alone after a few failures, and asked by one call alone whether it is back', async () => {
    const { clock, custody } = setUp();
    answer = failing(away);
    await Promise.allSettled([custody.mac(message), custody.mac(message)]);
    const called = calls;
    expect(called).toBeLessThanOrEqual(6);
    const many = await Promise.allSettled(Array.from({ length: 1_000 }, () => custody.mac(message)));
    expect(many.every(({ status }) => status === 'rejected')).toBe(true);
    expect(calls).toBe(called);
    expect(custody.state().fault).toBe(away);
    expect(faults).toEqual(['connection refused']);

    clock.advance(10_000);
    answer = async () => block;
    const back = await Promise.allSettled(Array.from({ length: 100 }, () => custody.mac(message)));
    expect(back.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await custody.mac(message)).toBe(block);
    expect(custody.state().fault).toBeNull();
  });

  test('the rest grows while the custodian stays away, and never beyond ten seconds', async () => {
    const { clock, custody } = setUp();
    answer = failing(away);
    const rests: number[] = [];
    for (let failure = 0; failure < 12; failure++) {
      const began = calls;
      let restMs = 0;
      while (calls === began && restMs < 60_000) {
        await custody.mac(message).catch(() => {});
        if (calls > began) break;
        clock.advance(50);
        restMs += 50;
      }
      rests.push(restMs);
    }
    expect(Math.max(...rests)).toBeLessThanOrEqual(10_000);
    expect(rests.at(-1)).toBeGreaterThan(5_000);
  });

  test('a refusal is not tried again for half a minute: a token would lock itself', async () => {
    const { clock, custody } = setUp();
    answer = failing(new CustodianFault('refused', 'the PIN is wrong'));
    for (let n = 0; n < 20; n++) await expect(custody.mac(message)).rejects.toMatchObject(unavailable);
    expect([calls, pauses]).toEqual([1, []]);
    clock.advance(30_000);
    answer = async () => block;
    expect(await custody.mac(message)).toBe(block);
  });

  test('a check calls the custodian unless it has answered within ten seconds, and is not counted as a call for a key', async () => {
    const { clock, custody } = setUp();
    await custody.mac(message);
    await custody.check();
    clock.advance(10_000);
    await custody.check();
    expect(outcomes).toEqual(['key answered', 'check answered']);
  });

  test('a call that gets no answer is given up after 2 s, even if it cannot be interrupted', async () => {
    const time = stopTime();
    const { custody, clock } = setUp();
    answer = () => new Promise(() => {});
    const asked = custody.mac(message).catch((error) => error);
    for (let tries = 1; tries <= 3; tries++) {
      await time.begun(2_000, tries);
      clock.advance(2_000);
      time.advance(2_000);
    }
    expect(await asked).toMatchObject(unavailable);
    expect(faults).toEqual(['it gave no answer within 2000 ms']);
  });
});
