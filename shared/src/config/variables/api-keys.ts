import { secret } from '../parsers.ts';
import { Secret } from '../secret.ts';
import { bearerCredential, several } from '../secret-parsers.ts';
import { variable } from '../variable.ts';

/** The credentials that exist before any API key is stored. */
export const apiKeyVariables = {
  adminApiKey: variable({
    name: 'ADMIN_API_KEY',
    type: secret(bearerCredential),
    about: 'The bootstrap key: accepted with scope admin, never stored. Unset: there is none.',
  }),
  adminApiKeyPrevious: variable({
    name: 'ADMIN_API_KEY_PREVIOUS',
    type: secret(several(bearerCredential)),
    fallback: new Secret<readonly string[]>([]),
    mayBeEmpty: true,
    about: 'Bootstrap keys that are accepted beside ADMIN_API_KEY while it is replaced.',
  }),
  setupToken: variable({
    name: 'SETUP_TOKEN',
    type: secret(bearerCredential),
    about: 'The token that POST /api/v1/setup requires. Unset: not required.',
  }),
};
