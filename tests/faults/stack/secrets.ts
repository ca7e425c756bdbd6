import { makeProfileSecrets } from '@latchkey/support/stack/distributed-profile';

/** Of every stack. They are random: with NODE_ENV=production, as here, Latchkey refuses secrets that can be guessed. */
export const secrets = makeProfileSecrets();
export const {
  INTERNAL_SECRET: internalSecret,
  AUTH_JWT_SECRET: tokenSecret,
  ADMIN_API_KEY: adminKey,
} = secrets;
