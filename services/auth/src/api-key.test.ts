import { ApiKeyStateSchema, createRecordReader, scopes } from '@latchkey/shared/contracts';
import { Type } from '@latchkey/shared/schema';
import { expect, it } from 'vitest';
import { endOfReplaced, toApiKey, toApiKeyState } from './api-key.ts';
import { newApiKey } from './api-key-acts.ts';

it.each([
  ['is revoked at once without overlap', null, 0, { expires_at: null, revoked_at: 5_000 }],
  ['keeps its expiry when it is revoked', 9_000, 0, { expires_at: 9_000, revoked_at: 5_000 }],
  ['ends with the overlap', null, 2, { expires_at: 7_000, revoked_at: null }],
  ['never lives longer than it would have', 6_000, 2, { expires_at: 6_000, revoked_at: null }],
])('an API key that is replaced %s', (_what, expiresAt, overlapSeconds, end) => {
  expect(endOfReplaced({ expires_at: expiresAt, revoked_at: null }, overlapSeconds, 5_000)).toEqual(end);
});

const make = (contents: string[] | null) =>
  newApiKey(
    { randomId: () => 'id', randomBytes: (size) => Buffer.alloc(size) },
    { name: 'n', scope: 'full', expiresAt: null, metadata: {}, contents },
    0,
  ).row;

it('a process of the release before cannot read the state of a limited API key, so it does not open all contents to it', () => {
  // It drops members that it does not know.
  const before = createRecordReader(Type.Object({ id: Type.String(), scope: Type.Enum([...scopes]) }));
  const limited = make(['film']);
  expect(before(toApiKeyState(limited))).toBeUndefined();
  expect(before(toApiKeyState(make(null)))).toMatchObject({ scope: 'full' });
  const read = createRecordReader(ApiKeyStateSchema);
  expect(read(toApiKeyState(limited))).toMatchObject({ scope: 'limited-full', contents: ['film'] });
  // As the release before sends it. It is read again, and not kept.
  expect(read({ ...toApiKeyState(limited), contents: undefined })).toBeUndefined();
  // From the row itself, it has a scope that reaches no route.
  expect((scopes as readonly string[]).includes(limited.scope)).toBe(false);
});

it('an API key that the release before rotated without its contents names none', () => {
  const rotated = { ...make(['film']), contents: null };
  expect(toApiKey(rotated)).toMatchObject({ scope: 'full', contents: [] });
  expect(toApiKeyState(rotated)).toMatchObject({ scope: 'limited-full', contents: [] });
});
