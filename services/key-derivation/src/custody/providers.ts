import type { CustodianSettings } from '@latchkey/shared/config';
import type { KeyCustodian } from './key-custodian.ts';

/** The providers of one process. Custodians of one provider may share what they have open. */
export interface Providers {
  open(settings: CustodianSettings): KeyCustodian;
  /**
   * Stores the extracted key of a version where the settings say, so that it can be used there and never leaves it.
   *
   * @param extractedKey 32 bytes: the PRK of RFC 5869 section 2.2
   * @throws CustodianFault, also if there is a key already
   */
  importKey(settings: CustodianSettings, extractedKey: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** The code of a provider is loaded with the first process that names one. */
export async function openProviders(): Promise<Providers> {
  const { openPkcs11 } = await import('./pkcs11.ts');
  const pkcs11 = openPkcs11();
  const placeOf = ({ modulePath, tokenLabel, keyLabel, pin }: CustodianSettings) => ({
    modulePath,
    tokenLabel,
    keyLabel,
    pin: pin.reveal(),
  });
  return {
    open: (settings) => pkcs11.open(placeOf(settings)),
    importKey: (settings, extractedKey) => pkcs11.importKey(placeOf(settings), extractedKey),
    close: () => pkcs11.close(),
  };
}
