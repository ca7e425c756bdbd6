import { expect, test } from 'vitest';
import type { WebhookDelivery } from '../../api/schema.ts';
import { groupDeliveries } from './group-deliveries.ts';

const delivery = (id: string, facts: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{ id, type: 'lease.revoked', state: 'failed', tries: 3, createdAt: '', lastTryAt: null },
  ...{ nextTryAt: null, endedAt: null, lastStatus: null, lastError: 'no answer within 10 s', payload: {} },
  ...facts,
});
const group = (deliveries: WebhookDelivery[], opened: string[] = []) =>
  groupDeliveries(deliveries, new Set(opened)).map(({ id, alike }) => `${id} ${alike}`);

test('deliveries that follow each other with the same failure are one row, and all of them once it is opened', () => {
  const six = ['f', 'e', 'd', 'c', 'b', 'a'].map((id) => delivery(id));
  expect(group(six)).toEqual(['f 5']);
  expect(group(six, ['f'])).toEqual(['f 0', 'e 0', 'd 0', 'c 0', 'b 0', 'a 0']);
});

test('another failure, event or state is a row of its own, and deliveries without a failure are never grouped', () => {
  expect(
    group([
      delivery('a'),
      delivery('b', { lastError: 'the receiver answered 500' }),
      delivery('c', { type: 'alert.started' }),
      delivery('d', { state: 'pending' }),
      delivery('e', { state: 'delivered', lastError: null, lastStatus: 204 }),
      delivery('f', { state: 'delivered', lastError: null, lastStatus: 204 }),
      delivery('g', { state: 'pending', lastError: null }),
      delivery('h', { state: 'pending', lastError: null }),
    ]),
  ).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => `${id} 0`));
});
