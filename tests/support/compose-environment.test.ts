import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withoutSettings } from './compose-environment.ts';
import { repositoryFolder } from './repository.ts';

const composeFile = readFileSync(join(repositoryFolder, 'compose.yaml'), 'utf8');

it('settings in the shell of the operator do not change the stack of compose.yaml that is tested', () => {
  const kept = { PATH: '/bin', DOCKER_HOST: 'unix:///own.sock', COMPOSE_DOCKER_CLI_BUILD: '1' };
  const settings = {
    RATE_LIMIT: 'on',
    ADMIN_API_KEY: 'lk_0',
    POSTGRES_PASSWORD: 'p',
    KEY_DERIVATION_REPLICAS: '1',
    COMPOSE_FILE: 'other.yaml',
    COMPOSE_PROJECT_NAME: 'production',
  };
  expect(withoutSettings({ ...kept, ...settings }, composeFile)).toEqual(kept);
});
