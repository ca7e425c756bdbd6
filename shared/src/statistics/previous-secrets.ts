import type { ConfigurationWarning } from './process-report.ts';

/** The previous secrets that the process has. */
export interface PreviousSecrets {
  adminApiKeyPrevious?: { reveal(): readonly unknown[] };
  authJwtSecretPrevious?: { reveal(): readonly unknown[] };
  internalSecretPrevious?: { reveal(): readonly unknown[] };
}

const rotations = [
  { key: 'adminApiKeyPrevious', variable: 'ADMIN_API_KEY_PREVIOUS' },
  { key: 'authJwtSecretPrevious', variable: 'AUTH_JWT_SECRET_PREVIOUS' },
  { key: 'internalSecretPrevious', variable: 'INTERNAL_SECRET_PREVIOUS' },
] as const;

/** A warning for each variable by which a second secret is accepted. That is right during a rotation, and is forgotten easily. */
export function judgePreviousSecrets(values: PreviousSecrets): ConfigurationWarning[] {
  return rotations.flatMap(({ key, variable }): ConfigurationWarning[] => {
    const count = values[key]?.reveal().length ?? 0;
    if (count === 0) return [];
    const also = count === 1 ? 'a second secret is' : `${count} further secrets are`;
    return [
      {
        code: `${variable}_SET`,
        severity: 'warning',
        title: 'A rotation of secrets is not finished',
        detail: `${variable} is set, so ${also} accepted. Once nobody uses it any more, empty the variable or its file, and start the process again.`,
        documentation: 'docs/operate/rotation.md#steps',
      },
    ];
  });
}
