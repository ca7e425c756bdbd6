import { createManualClock } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { createOwnersCheck } from './check-owners.ts';

test('a start waits until each owner of a state has answered, and 10 s at most', async () => {
  const clock = createManualClock();
  let isAway = true;
  const late = {
    head: async () => {
      if (isAway) throw new Error('away');
      return 0;
    },
  };
  const check = createOwnersCheck([{ head: async () => 0 }, late], clock);
  await clock.advance(9_999);
  await expect(check()).rejects.toThrow('away');
  isAway = false;
  await check();
  isAway = true;
  await clock.advance(1);
  await check();
});
