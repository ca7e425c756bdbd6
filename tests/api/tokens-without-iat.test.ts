import { askForKey, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { laterToken, nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// No other test needs this setting.
const server = await startServer({ AUTH_JWT_REQUIRE_IAT: 'false' });
const { client, jwtSecret } = server;
const undated = (viewerId: string, exp = nowSeconds() + 900) =>
  viewerToken(jwtSecret, viewerId, { iat: undefined, exp });

it('AUTH_JWT_REQUIRE_IAT=false accepts a token without iat, and the server warns at start', async () => {
  const scene = await makeScene(server);
  expect(await askForKey(server, { ...scene, token: undated(scene.viewerId) })).toBe('200');
  expect(server.process.stderr()).toContain('AUTH_JWT_REQUIRE_IAT is false');
});

it('AUTH_JWT_REQUIRE_IAT=false refuses a token without iat whose exp is later than the maximum age', async () => {
  const scene = await makeScene(server);
  const token = undated(scene.viewerId, nowSeconds() + 90_000);
  expect(await askForKey(server, { ...scene, token })).toBe('401 INVALID_TOKEN');
});

it('with AUTH_JWT_REQUIRE_IAT=false no mark lapses, because the exp of a token without iat may come near at any time', async () => {
  const scene = await makeScene(server);
  await revokeLeases(server, { viewerId: scene.viewerId });
  const { json } = await client.get(`/api/v1/marks?viewerId=${scene.viewerId}`, server.adminApiKey);
  expect(json.marks).toMatchObject([{ viewerId: scene.viewerId, lapsesAt: null }]);
});

it('a revocation holds against every token without iat, even one that is issued later', async () => {
  const scene = await makeScene(server);
  await revokeLeases(server, { viewerId: scene.viewerId });
  const later = undated(scene.viewerId);
  expect(await askForKey(server, { ...scene, token: later })).toBe('403 TOKEN_REVOKED');
  const { status, code } = await client.post('/keys/leases', later, { contentId: scene.contentId });
  expect([status, code]).toEqual([403, 'TOKEN_REVOKED']);
  const dated = laterToken(jwtSecret, scene.viewerId);
  expect(await askForKey(server, { ...scene, token: dated })).toBe('200');
});
