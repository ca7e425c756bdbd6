import { expect, test } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import type { BusMessage } from './message.ts';
import { formatEnvelope, parseEnvelope } from './nats-stream.ts';

const seal = createSeal(['the secret of all processes']);
const notice = { topic: 'lease', event: 'renewed', data: { id: 'l' } } as const;
const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each<BusMessage>([
  {
    type: 'change',
    number: 7,
    at: 5,
    link: { id: 'b', previous: null },
    change: { kind: 'leases', leaseId: 'l', viewerId: null, contentId: null },
  },
  { type: 'notice', notice },
  { type: 'renewal', leaseId: 'l', notice },
])('a $type arrives as it was sent', (message) => {
  const text = formatEnvelope({ origin: 'here', message }, seal);
  expect(parseEnvelope(bytesOf(text), seal)).toEqual({ origin: 'here', message, isSealed: true });
});

const unnumbered = { type: 'change', at: 5, link: { id: 'b', previous: null } };

test.each([
  ['no message', {}],
  ['a renewal of no lease', { type: 'renewal', notice, leaseId: 7 }],
  ['a renewal without a notice', { type: 'renewal', leaseId: 'l' }],
  ['a change without a number', { ...unnumbered, change: { kind: 'content', contentId: 'film' } }],
  ['a change of no kind', { ...unnumbered, number: 7, change: { kind: 'weather' } }],
  ['a notice of no topic', { type: 'notice', notice: { ...notice, topic: 'weather' } }],
])('%s is refused', (_what, message) => {
  expect(parseEnvelope(bytesOf(JSON.stringify({ origin: 'here', message })), seal)).toBeNull();
});
