/** Made once at random: production, which these processes run as, refuses what can be guessed. */
const madeUp = {
  adminKey: 'c1d42f8a7be905364f1e8da2b07c6395e84a1bf0d7236c59a8e40f1b7d92c635',
  masterKey: '9e27b4f0a1583cd6e7042b8f5d19ac63708ef4b2159dca3608b7e1f2543d9ac0',
  salt: '5af08c3be1d7924603c8fb75ad1e2964b0f7c8315e9ad2476b8c03f1e5a7d29e',
} as const;

/** The secret between the services. */
export const internalSecret = 'a-secret-of-the-fault-tests-0123456789abcdef';
/** AUTH_JWT_SECRET. */
export const tokenSecret = 'the secret of the fault tests, 32 bytes or more';
/** ADMIN_API_KEY. */
export const adminKey = `lk_${madeUp.adminKey}`;
/** What keys are derived from. */
export const keyMaterial = { MASTER_KEY_HEX: madeUp.masterKey, SALT_HEX: madeUp.salt };
