import type { IncomingMessage } from 'node:http';
import { isDirectHeader } from '@latchkey/shared/internal';
import { afterEach, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from './auth.fixture.ts';
import type { SetupSecrets } from './config.ts';
import { openSetupWarning, readSetupOrigin, setupExceptionWarning } from './setup-credential.ts';

const path = '/api/v1/setup';
const open: SetupSecrets = { bootstrapKeys: [], setupToken: null };
const guarded: SetupSecrets = { bootstrapKeys: [testBootstrapKey], setupToken: null };

let auth: AuthFixture;
afterEach(() => auth.close());

it('ten minutes after the start the machine itself needs the bootstrap key too, and the state of setup says so', async () => {
  auth = await startAuth();
  auth.clock.advance(10 * 60_000 - 1);
  expect((await auth.ask('GET', path)).body.credential).toBe('none');
  auth.clock.advance(1);
  expect((await auth.ask('GET', path)).body.credential).toBe('bootstrap-key');
  expect((await auth.ask('POST', path)).code).toBe('UNAUTHENTICATED');
});

it('a service behind a gateway closes the exception also by what it knows itself', () => {
  const request = { headers: { [isDirectHeader]: '1' } } as unknown as IncomingMessage;
  expect(readSetupOrigin(request, () => true).isDirect).toBe(true);
  expect(readSetupOrigin(request, () => false).isDirect).toBe(false);
});

it('the operator is warned while a call from this machine can claim the server without the bootstrap key', async () => {
  auth = await startAuth();
  const { db } = auth.host;
  expect(await setupExceptionWarning(db, guarded, {})).toContain('NODE_ENV=production');
  expect(await setupExceptionWarning(db, guarded, { nodeEnv: 'production' })).toBeNull();
  expect(await setupExceptionWarning(db, guarded, { publicUrl: 'https://k.example' })).toBeNull();
  expect(await setupExceptionWarning(db, open, {})).toBeNull();
  expect(await setupExceptionWarning(db, { ...guarded, setupToken: 'x' }, {})).toBeNull();
  expect(await openSetupWarning(db, open)).not.toBeNull();
  await auth.ask('POST', path);
  expect(await setupExceptionWarning(db, guarded, {})).toBeNull();
  expect(await openSetupWarning(db, open)).toBeNull();
});
