import { expect, test } from 'vitest';
import { createWebhookSecret } from './sign-message.ts';

test('a secret has the prefix of Standard Webhooks and 32 random bytes', () => {
  const secret = createWebhookSecret((size) => Buffer.alloc(size, 9));
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice(6), 'base64')).toEqual(Buffer.alloc(32, 9));
});
