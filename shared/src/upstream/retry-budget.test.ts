import { expect, test } from 'vitest';
import { createRetryBudget } from './waiting-line.ts';

test('one request in five may be sent once more, beyond a reserve for those that one address held up', () => {
  const budget = createRetryBudget();
  let spent = 0;
  while (budget.spend()) spent++;
  expect(spent).toBe(128);
  let again = 0;
  for (let request = 0; request < 1_000; request++) {
    budget.earn();
    if (budget.spend()) again++;
  }
  expect(again).toBeGreaterThan(190);
  expect(again).toBeLessThanOrEqual(200);
});

test('quiet hours do not raise the retry budget above its reserve', () => {
  const budget = createRetryBudget();
  for (let request = 0; request < 100_000; request++) budget.earn();
  let spent = 0;
  while (budget.spend()) spent++;
  expect(spent).toBe(128);
});
