import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { viewerToken } from '../tokens.ts';
import { outcomeOf } from './answer.ts';
import { eventually } from './eventually.ts';
import type { Target } from './target.ts';
import { unique } from './unique.ts';

export interface CreatedApiKey {
  id: string;
  raw: string;
}

/** Creates an API key with the bootstrap key. */
export async function createApiKey(
  { client, adminApiKey }: Target,
  scope: string,
  fields: Record<string, unknown> = {},
): Promise<CreatedApiKey> {
  const { status, json } = await client.post('/api/v1/api-keys', adminApiKey, {
    name: unique(scope),
    scope,
    ...fields,
  });
  if (status !== 201) throw new Error(`no API key: ${JSON.stringify(json)}`);
  return { id: json.api_key.id, raw: json.raw_key };
}

/** Creates an API key that expires in a moment. */
export function createBriefApiKey(target: Target, scope: string): Promise<CreatedApiKey> {
  // A slow server refuses an expiry that has passed when it reads the request, so this is repeated.
  const create = () => createApiKey(target, scope, { expiresAt: new Date(Date.now() + 3_000).toISOString() });
  return eventually(create);
}

export async function revokeApiKey({ client, adminApiKey }: Target, id: string): Promise<void> {
  const { status } = await client.call('DELETE', `/api/v1/api-keys/${id}`, { as: adminApiKey });
  if (status !== 200) throw new Error(`API key ${id} was not revoked`);
}

/** Registers a content. @returns its id */
export async function registerContent(
  { client, adminApiKey }: Target,
  id = unique('content'),
  fields: object = {},
): Promise<string> {
  const body = { id, name: id.slice(0, 200), ...fields };
  const { status, json } = await client.post('/api/v1/content', adminApiKey, body);
  if (status !== 201) throw new Error(`no content: ${JSON.stringify(json)}`);
  return id;
}

/** Changes a content as an admin. */
export async function changeContent(
  { client, adminApiKey }: Target,
  contentId: string,
  json: object,
): Promise<void> {
  const answer = await client.call('PATCH', `/api/v1/content/${contentId}`, { as: adminApiKey, json });
  if (answer.status !== 200) throw new Error(`not changed: ${JSON.stringify(answer.json)}`);
}

/** A page of the audit, as an admin reads it. @param query filters */
export async function readAudit(
  { client, adminApiKey }: Target,
  query: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: every answer is checked against the schema in the OpenAPI document.
): Promise<any[]> {
  return (await client.get(`/api/v1/audit?${new URLSearchParams(query)}`, adminApiKey)).json.audit;
}

/** A viewer with a token and a content to play. */
export interface Scene {
  contentId: string;
  viewerId: string;
  token: string;
}

export async function makeScene(target: Target): Promise<Scene> {
  const viewerId = unique('viewer');
  const contentId = await registerContent(target);
  return { contentId, viewerId, token: viewerToken(target.jwtSecret, viewerId) };
}

/** Creates a lease with the viewer's token. @returns its id */
export async function createLease(
  { client }: Target,
  { token, contentId }: Pick<Scene, 'token' | 'contentId'>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const { status, json } = await client.post('/keys/leases', token, { contentId, ...fields });
  if (status !== 201) throw new Error(`no lease: ${JSON.stringify(json)}`);
  return json.lease.id;
}

/** Requests a key. @returns status and code, such as `200` or `403 LEASE_REVOKED` */
export async function askForKey(
  { client }: Target,
  { token, contentId }: Pick<Scene, 'token' | 'contentId'>,
  leaseId?: string,
): Promise<string> {
  return outcomeOf(await client.get(`/keys/${contentId}`, token, leaseId ? { 'x-lease-id': leaseId } : {}));
}

/** Revokes as an admin. */
export async function revokeLeases(
  { client, adminApiKey }: Target,
  selector: Record<string, string>,
): Promise<{ revoked: number; leases: { id: string; state: string }[] }> {
  const { status, json } = await client.post('/keys/leases/revoke', adminApiKey, selector);
  if (status !== 200) throw new Error(`not revoked: ${JSON.stringify(json)}`);
  return json;
}

/** Requests in a row that reach every replica, because a gateway lets them take turns. */
const timesOfEach = 6;

/**
 * Checks what must hold after the answer to a revocation: at once on the replica that answered, in time on all others, and from
 * then on always. The time at which a request was sent counts, because its answer may take long.
 */
export async function oncePropagated(
  { propagationMs }: Target,
  assertion: () => Promise<void>,
): Promise<void> {
  const sinceMs = performance.now();
  const times = propagationMs > 0 ? timesOfEach : 1;
  for (let held = 0; held < times; ) {
    const isOverdue = performance.now() - sinceMs >= propagationMs;
    try {
      await assertion();
      held++;
    } catch (error) {
      if (isOverdue) throw error;
      held = 0;
      await pause(10);
    }
  }
}

/** Checks what a key request gets once a change has reached every replica. */
export function expectKey(
  target: Target,
  expected: string,
  ...request: Parameters<typeof askForKey> extends [Target, ...infer Rest] ? Rest : never
): Promise<void> {
  return oncePropagated(target, async () => expect(await askForKey(target, ...request)).toBe(expected));
}

/**
 * Waits until every replica has received the changes so far. It makes a further change and waits for that one, because changes
 * come in order. Each replica caches the lease as active first, or it would read the new state without having received a change.
 */
export async function changesArrived(target: Target): Promise<void> {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  for (let n = 0; n < timesOfEach; n++) expect(await askForKey(target, scene, leaseId)).toBe('200');
  await revokeLeases(target, { leaseId });
  await expectKey(target, '403 LEASE_REVOKED', scene, leaseId);
}

/** The report that a player sends at the end of a playback (`getMetrics()`). */
export const playerReport = {
  timeToFirstFrame: 1_500,
  avgDecryptTime: 1,
  avgFragLoadTime: 1,
  avgKeyFetchTime: 1,
  keyFetchCount: 1,
  qualitySwitches: 0,
  fragmentsLoaded: 9,
  stallCount: 3,
};
