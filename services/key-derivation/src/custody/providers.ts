import type { CustodianSettings } from '@latchkey/shared/config';
import type { Provider } from './key-custodian.ts';

/** The providers that the settings of a process name. */
export type Providers = Provider<CustodianSettings>;

type Name = CustodianSettings['provider'];
type SettingsOf<N extends Name> = Extract<CustodianSettings, { provider: N }>;

const loaders: { readonly [N in Name]: () => Promise<Provider<SettingsOf<N>>> } = {
  pkcs11: async () => (await import('./pkcs11.ts')).openPkcs11(),
  'aws-kms': async () => (await import('./aws-kms.ts')).openAwsKms(),
  'vault-transit': async () => (await import('./vault-transit.ts')).openVaultTransit(),
};

/**
 * The code of a provider is loaded only if a setting names the provider.
 *
 * @throws CustodianFault if a package is missing
 */
export async function openProviders(settings: readonly CustodianSettings[]): Promise<Providers> {
  const opened = new Map<Name, Provider<CustodianSettings>>();
  for (const { provider } of settings)
    if (!opened.has(provider))
      opened.set(provider, (await loaders[provider]()) as Provider<CustodianSettings>);
  const of = ({ provider }: CustodianSettings) => {
    const found = opened.get(provider);
    if (!found) throw new Error(`the provider ${provider} was not opened`);
    return found;
  };
  return {
    open: (each) => of(each).open(each),
    importKey: (each, extractedKey) => of(each).importKey(each, extractedKey),
    close: async () => void (await Promise.all([...opened.values()].map((each) => each.close()))),
  };
}
