import {
  apiKeyVariables,
  auditVariables,
  usageVariables,
  type Values,
  webhookVariables,
} from '@latchkey/shared/config';
import type { SetupExceptionSettings } from '@latchkey/shared/http';
import { acceptedSecrets } from '@latchkey/shared/seal';

/** The variables of the auth service alone. */
export const authVariables = {
  ...apiKeyVariables,
  ...auditVariables,
  ...usageVariables,
  ...webhookVariables,
};

/** `TRUST_PROXY` and `PUBLIC_URL` are there only if the auth service is mounted on the gateway itself. */
export type AuthConfig = Values<typeof authVariables> & SetupExceptionSettings;

/** The credentials that come from the configuration. The database has no row for them. Null or empty if they are not set. */
export interface SetupSecrets {
  /** Any of them is accepted; the first one is `ADMIN_API_KEY`. */
  readonly bootstrapKeys: readonly string[];
  setupToken: string | null;
}

/** Reveals the credentials, for the code that compares them. */
export function toSetupSecrets(values: Values<typeof apiKeyVariables>): SetupSecrets {
  const { adminApiKey: current, adminApiKeyPrevious: previous } = values;
  return {
    bootstrapKeys: current ? acceptedSecrets(current, previous) : previous.reveal(),
    setupToken: values.setupToken?.reveal() ?? null,
  };
}
