import { expect, it } from 'vitest';
import { activityOf, beginInactiveSpan, endInactiveSpan } from './inactive-spans.ts';

const heard = (status: string, deaf: string) =>
  [5, 15, 25, 35, 45, 55].filter((number) => activityOf({ status, deaf })(number));

it('a webhook hears what happened between being added, its pauses and now', () => {
  const added = endInactiveSpan('[]', 10);
  expect(heard('active', added)).toEqual([15, 25, 35, 45, 55]);
  const paused = beginInactiveSpan(added, 20);
  expect(heard('paused', paused)).toEqual([15]);
  const resumed = endInactiveSpan(paused, 30);
  expect(heard('active', resumed)).toEqual([15, 35, 45, 55]);
  const again = endInactiveSpan(beginInactiveSpan(resumed, 40), 50);
  expect(heard('active', again)).toEqual([15, 35, 55]);
});

it('a webhook that its receiver paused hears nothing, and after its resumption what follows', () => {
  const added = endInactiveSpan('[]', 10);
  expect(heard('paused', added)).toEqual([]);
  expect(heard('active', endInactiveSpan(added, 30))).toEqual([35, 45, 55]);
});

it('the spans that are kept are bounded', () => {
  let deaf = endInactiveSpan('[]', 1);
  for (let n = 2; n < 2_000; n += 2) deaf = endInactiveSpan(beginInactiveSpan(deaf, n), n + 1);
  expect(JSON.parse(deaf)).toHaveLength(50);
});
