import {
  contentVariables,
  custodians,
  gatewayVariables,
  leaseVariables,
  masterKeys,
  type Values,
} from '@latchkey/shared/config';

/** The variables of this service, in addition to the variables that several services read. */
export const keyDerivationSettings = {
  ...contentVariables,
  LEASE_MODE: leaseVariables.LEASE_MODE,
  masterKeys,
  custodians,
  PUBLIC_URL: gatewayVariables.PUBLIC_URL,
};

export type KeyDerivationConfig = Values<typeof keyDerivationSettings>;
