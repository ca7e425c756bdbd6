import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { makeSecretFolder } from './secret-folder.ts';
import { askForKey, registerContent } from './server-actions.ts';
import { startEdges } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

const [old, next] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
const folder = makeSecretFolder({ AUTH_JWT_SECRET: old, AUTH_JWT_SECRET_PREVIOUS: '' });
const edge = await startEdges(process.env.TEST_POSTGRES_URL ?? '', [{}], folder.variables);
const patience = { timeout: 30_000, interval: 50 };
/** Lines that the edge process itself has written about its files. */
const readings = /\{[^\n]*"service":"edge"[^\n]*SIGHUP: [^\n]*/g;

it('an edge reads its files again on SIGHUP, serves on, and refuses tokens of a secret that was taken away', async () => {
  for (const secret of [old, next]) edge.client.credentials.add(secret);
  const contentId = await registerContent(edge);
  const tokens = [old, next].map((secret) => viewerToken(secret, unique('viewer')));
  const askAll = () => Promise.all(tokens.map((token) => askForKey(edge, { token, contentId })));
  const hangUp = async (changed: Record<string, string>) => {
    const count = () => [...edge.process.stderr().matchAll(readings)].length;
    const before = count();
    folder.write(changed);
    edge.process.kill('SIGHUP');
    await vi.waitFor(() => expect(count()).toBe(before + 1), patience);
  };
  expect(await askAll()).toEqual(['200', '401 INVALID_TOKEN']);
  await hangUp({ AUTH_JWT_SECRET_PREVIOUS: next });
  expect(await askAll()).toEqual(['200', '200']);
  // It keeps what it has, as long as one of its files cannot be used.
  await hangUp({ AUTH_JWT_SECRET: 'too-short' });
  expect(await askAll()).toEqual(['200', '200']);
  await hangUp({ AUTH_JWT_SECRET: next, AUTH_JWT_SECRET_PREVIOUS: '' });
  expect(await askAll()).toEqual(['401 INVALID_TOKEN', '200']);
}, 120_000);
