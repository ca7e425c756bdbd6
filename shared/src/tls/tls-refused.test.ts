import { expect, test } from 'vitest';
import { explainTlsFault } from './tls-refused.ts';

test('an error whose code is a number, such as an error of JetStream, is not a fault of TLS', () => {
  const error = Object.assign(new Error('stream not found'), { code: 10_059 });
  const variables = { ca: 'NATS_CA_FILE', cert: 'NATS_CERT_FILE', key: 'NATS_KEY_FILE' };
  const subject = { name: 'NATS', urlVariable: 'NATS_URL', variables, settings: {} };
  expect(explainTlsFault(error, subject)).toBeNull();
});
