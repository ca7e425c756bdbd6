// The hexadecimal secrets are random: with NODE_ENV=production, as here, Latchkey refuses secrets that can be guessed.

/** INTERNAL_SECRET. */
export const internalSecret = 'a-secret-of-the-fault-tests-0123456789abcdef';
/** AUTH_JWT_SECRET. */
export const tokenSecret = 'the secret of the fault tests, 32 bytes or more';
/** ADMIN_API_KEY. */
export const adminKey = 'lk_c1d42f8a7be905364f1e8da2b07c6395e84a1bf0d7236c59a8e40f1b7d92c635';
export const keyMaterial = {
  MASTER_KEY_HEX: '9e27b4f0a1583cd6e7042b8f5d19ac63708ef4b2159dca3608b7e1f2543d9ac0',
  SALT_HEX: '5af08c3be1d7924603c8fb75ad1e2964b0f7c8315e9ad2476b8c03f1e5a7d29e',
};
