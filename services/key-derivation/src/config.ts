import { contentVariables, leaseMode, masterKeys, type Values } from '@latchkey/shared/config';

export { masterKeyRule } from '@latchkey/shared/config';

/** The variables of this service, beside those of viewer tokens, which several services read. */
export const keyDerivationSettings = { ...contentVariables, leaseMode, masterKeys };

export type KeyDerivationConfig = Values<typeof keyDerivationSettings>;
