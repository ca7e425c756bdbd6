import { outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { previousSecrets } from '@latchkey/support/black-box/shared-settings';
import { makeApiKey, openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// That no request fails while secrets are replaced: tests/faults/rolling.
const server = await openShared('leases-off');
const { AUTH_JWT_SECRET_PREVIOUS: tokenSecrets, ADMIN_API_KEY_PREVIOUS: earlierKey } = previousSecrets;
const [first, second] = tokenSecrets;
for (const secret of [...tokenSecrets, earlierKey]) server.client.credentials.add(secret);

it('tokens by any secret in AUTH_JWT_SECRET_PREVIOUS are accepted next to tokens by AUTH_JWT_SECRET, and the statistics warn of it', async () => {
  const contentId = await registerContent(server);
  const ask = (secret: string | Uint8Array) =>
    askForKey(server, { token: viewerToken(secret, unique('viewer')), contentId });
  const bytesOfSecond = Buffer.from(second.slice('base64:'.length), 'base64');
  expect(await Promise.all([server.jwtSecret, first, bytesOfSecond].map(ask))).toEqual(['200', '200', '200']);
  expect(await ask('f'.repeat(64))).toBe('401 INVALID_TOKEN');
  // A report of the processes may be some seconds old.
  await eventually(async () => {
    const { json } = await server.client.get('/api/v1/statistics', server.adminApiKey);
    const codes = json.statistics.warnings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(['AUTH_JWT_SECRET_PREVIOUS_SET', 'ADMIN_API_KEY_PREVIOUS_SET']),
    );
  });
});

it('a key in ADMIN_API_KEY_PREVIOUS is accepted on every route, as ADMIN_API_KEY is', async () => {
  const contentId = await registerContent(server);
  const paths = ['/api/v1/api-keys?limit=1', '/api/v1/content?limit=1', `/keys/${contentId}`];
  for (const [key, expected] of [
    [server.adminApiKey, '200'],
    [earlierKey, '200'],
    [makeApiKey(), '401 INVALID_API_KEY'],
  ] as const)
    for (const path of paths) expect(outcomeOf(await server.client.get(path, key))).toBe(expected);
});
