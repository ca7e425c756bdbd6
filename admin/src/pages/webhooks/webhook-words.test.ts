import { expect, test } from 'vitest';
import { webhookEvents } from '../../api/resources.ts';
import type { WebhookDelivery } from '../../api/schema.ts';
import { describeEvent, describeTest, nameOfEvent } from './webhook-words.ts';

const delivery: WebhookDelivery = {
  ...{ id: 'msg_a', type: 'webhook.test', state: 'pending', tries: 0, createdAt: '', lastTryAt: null },
  ...{ nextTryAt: null, endedAt: null, lastStatus: null, lastError: null, payload: {} },
};

test('every event that can be chosen has a name and says when it is sent', () => {
  for (const type of webhookEvents) {
    expect(nameOfEvent(type)).not.toBe(type);
    expect(describeEvent(type)).toMatch(/\.$/);
  }
});

test('an event of a newer server is shown by its own name', () => {
  expect([nameOfEvent('content.created'), describeEvent('content.created')]).toEqual(['content.created', '']);
});

test.each<[Partial<WebhookDelivery>, string]>([
  [{}, 'Sending the test…'],
  [{ state: 'delivered', lastStatus: 204 }, 'Delivered: the receiver answered 204.'],
  [
    { tries: 1, lastStatus: 500, lastError: 'the receiver answered 500' },
    'Not delivered yet: the receiver answered 500. It is tried again.',
  ],
  [{ state: 'failed', lastError: 'no answer within 10 s' }, 'Not delivered: no answer within 10 s.'],
])('a test with %j says: %s', (facts, text) => {
  expect(describeTest({ ...delivery, ...facts }).text).toBe(text);
});

test('a test whose result cannot be read is not shown as being sent, and a known result stays', () => {
  expect(describeTest(delivery, true).text).toMatch(/cannot be read now\.$/);
  expect(describeTest({ ...delivery, state: 'delivered', lastStatus: 204 }, true).kind).toBe('good');
});
