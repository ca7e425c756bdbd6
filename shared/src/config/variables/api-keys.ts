import { secret } from '../parsers.ts';
import { bearerCredential } from '../secret-parsers.ts';
import { variable } from '../variable.ts';

/** The credentials that exist before any API key is stored. */
export const apiKeyVariables = {
  adminApiKey: variable({
    name: 'ADMIN_API_KEY',
    type: secret(bearerCredential),
    about: 'The bootstrap key: accepted with scope admin, never stored. Unset: there is none.',
  }),
  setupToken: variable({
    name: 'SETUP_TOKEN',
    type: secret(bearerCredential),
    about: 'The token that POST /api/v1/setup requires. Unset: not required.',
  }),
};
