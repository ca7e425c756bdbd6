import { makeSecrets } from '@latchkey/support/stack/start-stack';

/** Of every stack. They are random: with NODE_ENV=production, as here, Latchkey refuses secrets that can be guessed. */
export const secrets = makeSecrets();
export const {
  INTERNAL_SECRET: internalSecret,
  AUTH_JWT_SECRET: tokenSecret,
  ADMIN_API_KEY: adminKey,
} = secrets;
