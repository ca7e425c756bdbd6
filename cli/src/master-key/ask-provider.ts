import { createHmac } from 'node:crypto';
import { openProviders, type Providers } from '@latchkey/key-derivation/custody';
import type { CustodianSettings } from '@latchkey/shared/config';
import { deriveFingerprint } from '@latchkey/shared/derivation';

/** Longer than the server waits: an operator looks on. */
const answerLimitMs = 10_000;

/** Opens the providers that the settings name for the work, and closes them after it. */
export async function withProviders<T>(
  settings: readonly CustodianSettings[],
  work: (providers: Providers) => Promise<T>,
): Promise<T> {
  const providers = await openProviders(settings);
  try {
    return await work(providers);
  } finally {
    await providers.close();
  }
}

/** The fingerprint of the key that the provider has. @throws CustodianFault; DOMException `TimeoutError` without an answer in time */
export function fingerprintAt(providers: Providers, settings: CustodianSettings): Promise<string> {
  const custodian = providers.open(settings);
  const mac = (message: Uint8Array) => custodian.mac(message, AbortSignal.timeout(answerLimitMs));
  return deriveFingerprint({ version: settings.version, mac });
}

/** @param extractedKey 32 bytes @returns the fingerprint that a provider must have that was given this key */
export function fingerprintOf(extractedKey: Buffer): Promise<string> {
  return deriveFingerprint({
    version: 1,
    mac: async (message) => createHmac('sha256', extractedKey).update(message).digest(),
  });
}
