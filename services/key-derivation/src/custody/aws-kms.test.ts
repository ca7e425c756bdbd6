import { createHmac, randomBytes } from 'node:crypto';
import { type KmsStandIn, startKmsStandIn } from '@latchkey/support/custody/kms-stand-in';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAwsKms } from './aws-kms.ts';

type Settings = Parameters<Awaited<ReturnType<typeof openAwsKms>>['open']>[0];

const key = randomBytes(32);
const message = Buffer.from('film/7\x01');
let kms: KmsStandIn;
let provider: Awaited<ReturnType<typeof openAwsKms>>;
let settings: Settings;

async function begin(material: Buffer | null): Promise<void> {
  kms = await startKmsStandIn(material);
  for (const [name, value] of Object.entries(kms.env)) vi.stubEnv(name, value);
  // Without this, credentials that are missing are asked for at an address of the machine.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  provider = await openAwsKms();
  settings = { version: 1, provider: 'aws-kms', keyId: kms.keyId, endpoint: kms.url };
}
const ask = (signal = AbortSignal.timeout(2_000)) => provider.open(settings).mac(message, signal);

beforeEach(() => begin(key));
afterEach(async () => {
  await provider.close();
  await kms.close();
});

describe('a key of AWS KMS', () => {
  it('computes the HMAC of the message by a signed call', async () => {
    expect(await ask()).toEqual(createHmac('sha256', key).update(message).digest());
    expect(kms.calls()).toBe(1);
  });

  it.each([
    ['ThrottlingException', 400, 'throttled'],
    ['SlowDown', 429, 'throttled'],
    ['KMSInternalException', 500, 'away'],
    ['KeyUnavailableException', 500, 'away'],
    ['ExpiredTokenException', 400, 'refused'],
    ['AccessDeniedException', 400, 'refused'],
    ['KMSInvalidStateException', 409, 'refused'],
  ])('%s with %i is %s, by one call', async (code, status, kind) => {
    kms.fail({ code, status });
    await expect(ask()).rejects.toMatchObject({ name: 'CustodianFault', kind });
    expect(kms.calls()).toBe(1);
  });

  it('an answer of another length is refused, and silence ends with the signal', async () => {
    kms.fail({ mac: randomBytes(20) });
    await expect(ask()).rejects.toMatchObject({ kind: 'refused', message: 'KMS gave 20 bytes' });
    kms.fail('silence');
    await expect(ask(AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('a KMS that does not listen is away', async () => {
    await kms.close();
    await expect(ask()).rejects.toMatchObject({ kind: 'away' });
  });

  it.each([
    ['AWS_REGION', 'Region is missing'],
    ['AWS_ACCESS_KEY_ID', 'Could not load credentials'],
  ])('without %s it is refused, with the reason', async (name, reason) => {
    vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    await expect(ask()).rejects.toMatchObject({ kind: 'refused', message: expect.stringContaining(reason) });
  });
});

describe('the import of a key into AWS KMS', () => {
  it('sends it encrypted for KMS, and then the key computes with it', async () => {
    await provider.close();
    await kms.close();
    await begin(null);
    await expect(ask()).rejects.toMatchObject({ kind: 'refused' });
    await provider.importKey(settings, key);
    expect(await ask()).toEqual(createHmac('sha256', key).update(message).digest());
  });

  it('refuses a key that has material already', async () => {
    await expect(provider.importKey(settings, key)).rejects.toThrow(
      'is Enabled: only a key that is PendingImport has no material yet',
    );
  });
});
