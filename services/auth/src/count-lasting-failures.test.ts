import { createManualClock } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { countLastingFailures } from './count-lasting-failures.ts';

test('failures count once the job has failed for a minute, and no more after it has succeeded', async () => {
  const clock = createManualClock();
  const state = { isBroken: true, counted: 0 };
  const job = countLastingFailures(
    async () => {
      if (state.isBroken) throw new Error('no database');
    },
    { clock, count: () => state.counted++ },
  );
  const fail = () => expect(job()).rejects.toThrow('no database');
  await fail();
  clock.advance(59_999);
  await fail();
  expect(state.counted).toBe(0);
  clock.advance(1);
  await fail();
  await fail();
  expect(state.counted).toBe(2);
  state.isBroken = false;
  await job();
  state.isBroken = true;
  clock.advance(59_999);
  await fail();
  expect(state.counted).toBe(2);
});
