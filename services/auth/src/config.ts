import { apiKeyVariables, auditVariables, type Values } from '@latchkey/shared/config';

/** The variables of the auth service alone. */
export const authVariables = { ...apiKeyVariables, ...auditVariables };

/** `PUBLIC_URL` is set only where the auth service is mounted on the gateway itself. */
export type AuthConfig = Values<typeof authVariables> & { publicUrl?: string | undefined };

/** The credentials that are configured and not stored; null if there is none. */
export interface SetupSecrets {
  bootstrapKey: string | null;
  setupToken: string | null;
}

/** Reveals the credentials, for the code that compares them. */
export function toSetupSecrets(values: Values<typeof apiKeyVariables>): SetupSecrets {
  return {
    bootstrapKey: values.adminApiKey?.reveal() ?? null,
    setupToken: values.setupToken?.reveal() ?? null,
  };
}
