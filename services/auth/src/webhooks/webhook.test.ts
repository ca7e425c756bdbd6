import { expect, it } from 'vitest';
import { readWebhookUrl } from './webhook.ts';

it.each([
  ['https://elsewhere.example.com/', 'has the origin https://elsewhere.example.com'],
  ['https://hooks.example.com:8443/', 'has the origin https://hooks.example.com:8443'],
  ['http://hooks.example.com/', 'has the origin http://hooks.example.com'],
  ['https://hooks.example.com@169.254.169.254/', 'must not have a user name or password'],
  ['ftp://hooks.example.com/', 'must be a URL that starts with https://'],
  ['https://hooks.example.com/#x', 'must not have a fragment'],
  ['hooks.example.com', 'must be a URL that starts with https://'],
])('the URL %s of a webhook is refused: it %s', (url, why) => {
  const origins = ['https://hooks.example.com'];
  expect(readWebhookUrl('https://hooks.example.com/in?token=abc', origins)).toContain('token=abc');
  const errors = [{ path: '/url', message: expect.stringContaining(why) }];
  expect(() => readWebhookUrl(url, origins)).toThrow(expect.objectContaining({ members: { errors } }));
});
