import { readConfig } from '@latchkey/shared/config';
import { describe, expect, it } from 'vitest';
import { authVariables, toSetupSecrets } from './config.ts';

describe('the configuration of the auth service', () => {
  it('the auth service has no bootstrap key and no setup token if none is set', () => {
    expect(toSetupSecrets(readConfig(authVariables, {}).values)).toEqual({
      bootstrapKeys: [],
      setupToken: null,
    });
  });

  it('configured setup credentials can be read, and appear in no JSON', () => {
    const env = { ADMIN_API_KEY: 'a'.repeat(32), SETUP_TOKEN: 'b'.repeat(32) };
    const { values } = readConfig(authVariables, env);
    expect(toSetupSecrets(values)).toEqual({ bootstrapKeys: ['a'.repeat(32)], setupToken: 'b'.repeat(32) });
    expect(JSON.stringify(values)).not.toMatch(/a{32}|b{32}/);
  });
});
