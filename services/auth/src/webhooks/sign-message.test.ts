import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createWebhookSecret, signMessage } from './sign-message.ts';

test('a message is signed as the example of the specification is', () => {
  // https://github.com/standard-webhooks/standard-webhooks, the test of its libraries.
  const headers = signMessage(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('with two secrets a message carries the signature of each, with a space between them', () => {
  const secrets = [1, 2].map((n) => createWebhookSecret((size) => Buffer.alloc(size, n)));
  const headers = signMessage({ id: 'msg_a', timestamp: 7, body: 'é' }, secrets);
  const expected = [1, 2].map(
    (n) =>
      `v1,${createHmac('sha256', Buffer.alloc(32, n)).update(Buffer.from('msg_a.7.é')).digest('base64')}`,
  );
  expect(headers['webhook-signature']).toBe(expected.join(' '));
});

test('a secret has the prefix of Standard Webhooks and 32 random bytes', () => {
  const secret = createWebhookSecret((size) => Buffer.alloc(size, 9));
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice(6), 'base64')).toEqual(Buffer.alloc(32, 9));
});
