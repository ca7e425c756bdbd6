import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Answer } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { metricsPorts, readMetrics } from '@latchkey/support/black-box/read-metrics';
import { findLine, secretsIn } from '@latchkey/support/black-box/request-lines';
import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { startWebhookReceiver } from '@latchkey/support/black-box/webhook-receiver';
import { runSql } from '@latchkey/support/stores/run-sql';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, describe, expect, it } from 'vitest';
import { openEvents } from './event-stream.ts';

const origin = 'https://cdn.example';

// Containers do not reach the receiver of webhooks on this machine.
describe('credentials in the wrong place', async () => {
  const receiver = await startWebhookReceiver();
  afterAll(() => receiver.close());
  // Its own, because all that it has stored is read.
  const server = await startServer({
    PUBLIC_URL: 'https://keys.example',
    PLAYLIST_ORIGINS: origin,
    WEBHOOK_ORIGINS: receiver.origin,
  });
  const { client, adminApiKey: admin, jwtSecret } = server;
  const { raw } = await createApiKey(server, 'full');
  const scene = await makeScene(server);
  const { contentId, token, viewerId } = scene;
  const sid = await makeSession();

  async function makeSession(): Promise<string> {
    const json = { playlistUrl: `${origin}/a.m3u8` };
    await client.call('PATCH', `/api/v1/content/${contentId}`, { as: admin, json });
    const answer = await client.post('/keys/sessions', token, { contentId });
    expect(answer.status).toBe(201);
    return answer.json.session.id;
  }

  const escaped = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
  const secrets = [
    raw,
    token,
    sid,
    escaped(raw),
    escaped(token),
    escaped(sid),
    // Most of a key, and the claims and the signature of a token.
    raw.slice(-40),
    ...token.split('.').slice(1),
  ];
  const find = (text: string) => secretsIn(text, secrets);

  const inBody = (path: string, name: string, others: object = {}) => ({
    place: `POST ${path} ${name}`,
    named: `/${name}`,
    send: (id: string) => client.post(path, admin, { ...others, [name]: id }),
  });
  const inQuery = (path: string, name: string) => ({
    place: `GET ${path} ${name}`,
    named: `/${name}`,
    send: (id: string) => client.get(`${path}?${new URLSearchParams({ [name]: id })}`, admin),
  });
  const places = [
    inBody('/keys/leases', 'viewerId', { contentId }),
    inBody('/keys/leases', 'deviceId', { contentId, viewerId }),
    inBody('/keys/leases', 'contentId', { viewerId }),
    inBody('/keys/sessions', 'viewerId', { contentId }),
    inBody('/keys/sessions', 'deviceId', { contentId, viewerId }),
    inBody('/keys/sessions', 'contentId', { viewerId }),
    inBody('/keys/leases/renew', 'leaseId'),
    inBody('/keys/leases/revoke', 'leaseId'),
    inBody('/keys/leases/revoke', 'viewerId'),
    inBody('/keys/leases/revoke', 'contentId'),
    inBody('/api/v1/content', 'id', { name: 'Film' }),
    inBody('/api/v1/key-decisions', 'viewerId', { contentId }),
    inBody('/api/v1/key-decisions', 'contentId', { viewerId }),
    inBody('/api/v1/key-decisions', 'leaseId', { contentId, viewerId }),
    inQuery('/api/v1/leases', 'viewerId'),
    inQuery('/api/v1/leases', 'contentId'),
    inQuery('/api/v1/viewers', 'prefix'),
    inQuery('/api/v1/marks', 'viewerId'),
    inQuery('/api/v1/marks', 'contentId'),
    inQuery('/api/v1/usage', 'id'),
    {
      place: 'GET /keys/:contentId',
      named: '/contentId',
      send: (id: string) => client.get(`/keys/${encodeURIComponent(id)}`, token),
    },
  ];

  it.each(places)(
    'an API key or a token as the id in $place gets 400, which says so without showing it',
    async ({ named, send }) => {
      for (const id of [raw, raw.toUpperCase(), token, escaped(raw), escaped(token), `Bearer ${token}`]) {
        const { status, code, json } = await send(id);
        expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
        expect(json.errors).toEqual([
          { path: named, message: expect.stringContaining('give the id, not the key') },
        ]);
        expect(find(JSON.stringify(json))).toEqual([]);
      }
    },
  );

  it('a viewer token whose sub is an API key or a token gets 401 INVALID_TOKEN, which says why', async () => {
    for (const sub of [raw, token, escaped(raw)]) {
      for (const path of ['/keys/leases', `/keys/${contentId}`]) {
        const as = viewerToken(jwtSecret, sub);
        const answer =
          path === '/keys/leases' ? await client.post(path, as, { contentId }) : await client.get(path, as);
        expect([answer.status, answer.code]).toEqual([401, 'INVALID_TOKEN']);
        expect(answer.json.detail).toMatch(/sub/);
        expect(find(JSON.stringify(answer.json))).toEqual([]);
      }
    }
  });

  it('a viewer and a content whose ids are hashes, as long as the id of a session, are served and shown', async () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
    // One of 64 hashes has the form of an id that this server makes. These two have not.
    const viewer = hash('viewer');
    const content = await registerContent(server, hash('content'));
    const leaseId = await createLease(server, { token: viewerToken(jwtSecret, viewer), contentId: content });
    const { status, requestId } = await client.get(`/keys/${content}`, viewerToken(jwtSecret, viewer));
    expect(status).toBe(200);
    const { json } = await client.get(`/api/v1/leases/${leaseId}`, admin);
    expect(json.lease).toMatchObject({ viewerId: viewer, contentId: content });
    expect(await findLine(server.process, requestId)).toMatchObject({
      path: `/keys/${content}`,
      principal: { id: viewer },
    });
    const audit = await client.get(`/api/v1/audit?target=${content}`, admin);
    expect(audit.json.audit[0]).toMatchObject({ action: 'content.create', target: content });
  });

  it('a request id with the form of a session id is replaced, and any other one is kept', async () => {
    const replaced = await fetch(`${server.url}/health`, { headers: { 'x-request-id': sid } });
    expect(replaced.headers.get('x-request-id')).not.toBe(sid);
    const own = createHash('sha256').update('content').digest('base64url');
    const kept = await client.get('/health', undefined, { 'x-request-id': own });
    expect(kept.requestId).toBe(own);
  });

  /** Every text that a caller may send and that is stored or shown. */
  async function sendAsText(secret: string): Promise<Answer[]> {
    const text = `see ${secret} please`;
    const headers = {
      'user-agent': `player ${secret}`,
      referer: `https://app.example/${secret}`,
      'x-lease-id': secret,
    };
    // A revocation of its lease also refuses the token of a viewer.
    const [revokedScene, releasedScene] = [await makeScene(server), await makeScene(server)];
    const leaseId = await createLease(server, revokedScene);
    const released = await createLease(server, releasedScene);
    const other = unique('viewer');
    const named = { name: text };
    return [
      await client.post('/keys/leases/revoke', releasedScene.token, { leaseId: released, reason: text }),
      await client.post('/keys/leases/revoke', admin, { leaseId, reason: text }),
      await client.post('/keys/leases/revoke', admin, { viewerId: other, reason: secret }),
      await client.post('/keys/leases/revoke', admin, {
        viewerId: other,
        contentId,
        reason: escaped(secret),
      }),
      await client.post('/api/v1/api-keys', admin, named),
      await client.post('/api/v1/content', admin, named),
      await client.post('/api/v1/webhooks', admin, {
        ...named,
        url: `${receiver.origin}/in`,
        events: ['lease.revoked'],
      }),
      await client.get(`/keys/${contentId}`, viewerToken(jwtSecret, unique('viewer')), headers),
      await client.get('/keys/unknown', viewerToken(jwtSecret, unique('viewer')), headers),
      await client.call('DELETE', `/api/v1/content/${secret}`, { as: admin }),
      await client.call('DELETE', `/api/v1/content/${secret}`, { as: token }),
      await client.call('DELETE', `/api/v1/api-keys/${secret}`, { as: admin }),
      await client.call('DELETE', `/api/v1/api-keys/${escaped(secret)}`, { as: admin }),
      await client.get(`/api/v1/leases/${secret}`, admin),
      await client.get(`/nowhere/${secret}`),
      await client.get(`/health?x=${secret}&${secret}`),
      await client.get(`/keys/${contentId};token=${secret}`, token),
      await client.get(`/keys/${contentId}%3faccess_token=${secret}`, token),
      await client.get(`/keys/${secret}`, token),
      await client.get(`/keys/${contentId}?lease_id=${secret}`, token),
      await client.get(`/play/${secret}/index.m3u8`),
      await client.post('/api/v1/content', admin, { name: 'Film', [secret]: 1 }),
      await client.get(`/api/v1/audit/export?format=csv&target=${encodeURIComponent(text)}`, admin),
      ...(secret === sid
        ? [
            await client.post('/keys/leases/renew', token, { leaseId: secret }),
            await client.post('/keys/leases/revoke', admin, { leaseId: secret }),
            await client.post('/api/v1/key-decisions', admin, { contentId, viewerId, leaseId: secret }),
          ]
        : []),
    ];
  }

  async function readTables(): Promise<string> {
    const { SQLITE_PATH, DATABASE_URL } = server.database ?? {};
    if (DATABASE_URL) {
      const tables = await runSql(
        DATABASE_URL,
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const rows = await Promise.all(
        tables.map(({ name }) => runSql(DATABASE_URL, `SELECT * FROM "${name}"`)),
      );
      return JSON.stringify(rows);
    }
    const db = new DatabaseSync(SQLITE_PATH ?? '', { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const rows = tables.map(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all());
    db.close();
    return JSON.stringify(rows);
  }

  it('a credential in a text, a header or a path appears in no table, log, list, event, webhook or figure', async () => {
    const stream = await openEvents(server.url, admin);
    const { json: webhook } = await client.post('/api/v1/webhooks', admin, {
      name: 'Receiver',
      url: `${receiver.origin}/all`,
      events: ['lease.revoked'],
    });
    const answers = [];
    for (const secret of [raw, token, sid]) answers.push(...(await sendAsText(secret)));
    const revocations =
      answers.filter(({ status, json }) => status === 200 && json?.revoked !== undefined).length - 3;
    // Only refusals may repeat what they were sent, and they do not.
    const answered = answers.map(({ path: _, ...answer }) => answer.bytes.toString()).join('\n');
    const { id } = await createApiKey(server, 'playback');
    await eventually(() =>
      expect(stream.events.some(({ data }) => JSON.stringify(data).includes(id))).toBe(true),
    );
    await eventually(() => {
      // The rows of management. Each of the three viewers also released a lease.
      expect(receiver.messages.filter(({ path }) => path === '/all').length).toBeGreaterThanOrEqual(
        revocations,
      );
    });
    stream.close();
    const lists = [
      '/api/v1/audit?limit=500',
      '/api/v1/audit/export?format=csv',
      '/api/v1/audit/export?format=jsonl',
      '/api/v1/leases?limit=500',
      '/api/v1/marks?limit=500',
      '/api/v1/viewers?limit=100',
      '/api/v1/content?limit=500',
      '/api/v1/api-keys?limit=500',
      '/api/v1/webhooks',
      `/api/v1/webhooks/${webhook.webhook.id}/deliveries`,
      '/api/v1/statistics?refusals=500',
      '/api/v1/usage?by=viewer',
      '/api/v1/usage?by=content',
    ];
    const shown = await Promise.all(
      lists.map(async (path) => [path, await client.get(path, admin)] as const),
    );
    for (const [path, { status }] of shown) expect([path, status]).toEqual([path, 200]);
    const metrics = await Promise.all(
      [...metricsPorts(server.process).values()].map((port) => readMetrics(port)),
    );
    const written = {
      tables: await readTables(),
      answered,
      log: server.process.stdout() + server.process.stderr(),
      events: JSON.stringify(stream.events),
      webhooks: JSON.stringify(receiver.messages),
      metrics: metrics.map(({ text }) => text).join('\n'),
      ...Object.fromEntries(shown.map(([path, { bytes }]) => [path, bytes.toString()])),
    };
    for (const [where, text] of Object.entries(written)) expect([where, find(text)]).toEqual([where, []]);
    expect(written.tables).toContain('see lk_*** please');
    expect(written.tables).toContain('see *** please');
  });
});
