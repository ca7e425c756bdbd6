import { type CustodianSettings, custodians, readConfig } from '@latchkey/shared/config';
import { masterKeyNames } from '../keys/derive-from-env.ts';
import type { Variables } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';

/**
 * Where a version is to be stored, as the server reads it. The key itself may be in the environment too: it is on its way.
 *
 * @throws ConfigError with every fault; AppError `VALIDATION_FAILED` if the version names no provider
 */
export function readCustodian(env: Variables, version: number): CustodianSettings {
  const { key, salt } = masterKeyNames(version);
  const others = Object.entries(env).filter(
    ([name]) => ![key, salt, `${key}_FILE`, `${salt}_FILE`].includes(name),
  );
  const { values } = readConfig({ custodians }, Object.fromEntries(others));
  const settings = values.custodians.find((each) => each.version === version);
  if (settings) return settings;
  const name = `MASTER_KEY_PROVIDER${version === 1 ? '' : `_V${version}`}`;
  throw refusal(
    `${name} is not set; it says where the key is to be stored. Accepted: pkcs11, aws-kms, vault-transit`,
  );
}
