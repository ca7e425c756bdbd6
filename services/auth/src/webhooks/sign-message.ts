import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard Webhooks wants 24 to 64 bytes. The size of the hash: longer keys add nothing. */
const secretBytes = 32;

/** A new secret in the form of Standard Webhooks, which receivers paste into their libraries. */
export function createWebhookSecret(randomBytes: (size: number) => Buffer): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

interface Message {
  id: string;
  /** Seconds since 1970, of this try: receivers refuse old ones, so that nobody can send a recorded message again. */
  timestamp: number;
  body: string;
}

/**
 * The headers of Standard Webhooks 1.0.
 *
 * @param secrets each signs: during a rotation the receiver may know only one of them
 */
export function signMessage(
  { id, timestamp, body }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
