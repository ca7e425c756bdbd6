import type { KeyPeriods } from '@latchkey/shared/contracts';
import { deriveContentKey } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { masterKey, serveKeys } from '../key-service.fixture.ts';

const live = { mode: 'clock', periodSeconds: 10, ahead: 1, behind: null } as const;

/** The service over HTTP on a clock that the test moves, with one content. `seconds` count from its origin. */
async function serve(keyPeriodsFrom: (origin: number) => KeyPeriods) {
  const { clock, origin, get } = await serveKeys((_, origin) => ({
    status: 'active',
    keyVersion: 1,
    keyPeriods: keyPeriodsFrom(origin),
  }));

  async function ask(epoch: number) {
    const answer = await get(`live/${epoch}`);
    if (answer.statusCode !== 200) return { ...answer.json(), retryAfter: answer.headers['retry-after'] };
    expect(answer.rawPayload).toEqual(deriveContentKey(masterKey, 'live', epoch));
    return 'served';
  }
  const at = (seconds: number) => new Date(origin + seconds * 1_000).toISOString();
  const setSeconds = (seconds: number) => clock.setWall(origin + seconds * 1_000);
  return { ask, at, setSeconds, clock };
}

test('over HTTP the key of an epoch is served from the millisecond that its refusal names in opensAt', async () => {
  const { ask, at, setSeconds } = await serve((origin) => ({ ...live, origin }));
  const notYet = (currentEpoch: number, opensAtSeconds: number, retryAfter: string) =>
    expect.objectContaining({
      status: 403,
      code: 'EPOCH_NOT_YET',
      currentEpoch,
      opensAt: at(opensAtSeconds),
      retryAfter,
    });
  expect(await ask(3)).toEqual(notYet(0, 20, '20'));
  setSeconds(19);
  expect(await ask(3)).toEqual(notYet(1, 20, '1'));
  // A wait of less than a second is a second in Retry-After: never 0, and never too short.
  setSeconds(19.001);
  expect(await ask(3)).toEqual(notYet(1, 20, '1'));
  setSeconds(18.999);
  expect(await ask(3)).toEqual(notYet(1, 20, '2'));
  setSeconds(19.999);
  expect(await ask(3)).toEqual(notYet(1, 20, '1'));
  setSeconds(20);
  expect(await ask(3)).toBe('served');
  expect(await ask(4)).toEqual(notYet(2, 30, '10'));
});

test('with neither periods ahead nor behind, exactly one epoch has a key over HTTP, and before the origin none has', async () => {
  const { ask, at, setSeconds } = await serve((origin) => ({ ...live, origin, ahead: 0, behind: 0 }));
  const served = async () => {
    const answers = await Promise.all([0, 1, 2, 3].map(ask));
    return answers.map((answer) => (answer === 'served' ? answer : answer.code));
  };
  const [past, notYet] = ['EPOCH_PAST', 'EPOCH_NOT_YET'];
  setSeconds(-0.001);
  expect(await served()).toEqual([notYet, notYet, notYet, notYet]);
  expect(await ask(0)).toMatchObject({ currentEpoch: -1, opensAt: at(0), retryAfter: '1' });
  setSeconds(0);
  expect(await served()).toEqual(['served', notYet, notYet, notYet]);
  setSeconds(9.999);
  expect(await served()).toEqual(['served', notYet, notYet, notYet]);
  setSeconds(10);
  expect(await served()).toEqual([past, 'served', notYet, notYet]);
  expect((await ask(0)).retryAfter).toBeUndefined();
  setSeconds(30);
  expect(await served()).toEqual([past, past, past, 'served']);
});

test('a wall clock that steps back closes the epochs that it had opened, and opens those again that were past', async () => {
  const { ask, at, setSeconds } = await serve((origin) => ({ ...live, origin, ahead: 0, behind: 0 }));
  setSeconds(30);
  expect(await ask(3)).toBe('served');
  setSeconds(29.999);
  expect(await ask(3)).toMatchObject({
    code: 'EPOCH_NOT_YET',
    currentEpoch: 2,
    opensAt: at(30),
    retryAfter: '1',
  });
  expect(await ask(2)).toBe('served');
  setSeconds(-20_000);
  expect(await ask(0)).toMatchObject({
    code: 'EPOCH_NOT_YET',
    currentEpoch: -2_000,
    opensAt: at(0),
    retryAfter: '20000',
  });
});

test('the pace does not go by the wall clock: one that jumps forward or back gives no key and takes none', async () => {
  const film = { mode: 'sequence', count: 100, periodSeconds: 10, burst: 2, speed: 2, pace: true } as const;
  const { ask, setSeconds, clock } = await serve(() => film);
  expect([await ask(0), await ask(1)]).toEqual(['served', 'served']);
  for (const seconds of [3_600, -3_600, 3_600]) {
    setSeconds(seconds);
    expect(await ask(2)).toMatchObject({ status: 429, code: 'KEY_PACE_EXCEEDED', retryAfter: '5' });
  }
  setSeconds(-3_600);
  clock.advance(5_000);
  expect(await ask(2)).toBe('served');
});
