import { apiKeyVariables, type Values } from '@latchkey/shared/config';

/** The variables of the auth service: the two credentials that exist before any API key is stored. */
export const authVariables = { ...apiKeyVariables };

/** The credentials that are configured and not stored; null where there is none. */
export interface SetupSecrets {
  bootstrapKey: string | null;
  setupToken: string | null;
}

/** Takes the credentials out of their wrappers, for the places that compare them. */
export function toSetupSecrets(values: Values<typeof authVariables>): SetupSecrets {
  return {
    bootstrapKey: values.adminApiKey?.reveal() ?? null,
    setupToken: values.setupToken?.reveal() ?? null,
  };
}
