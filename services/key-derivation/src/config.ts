import {
  contentVariables,
  custodians,
  gatewayVariables,
  leaseMode,
  masterKeys,
  type Values,
} from '@latchkey/shared/config';

export { masterKeyRule } from '@latchkey/shared/config';

/** The variables of this service, besides those that several services read. */
export const keyDerivationSettings = {
  ...contentVariables,
  leaseMode,
  masterKeys,
  custodians,
  publicUrl: gatewayVariables.publicUrl,
};

export type KeyDerivationConfig = Values<typeof keyDerivationSettings>;
