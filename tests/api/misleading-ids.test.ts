import { eventually } from '@latchkey/support/black-box/eventually';
import { makeScene, registerContent } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { startWebhookReceiver } from '@latchkey/support/black-box/webhook-receiver';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, describe, expect, it } from 'vitest';

describe('a viewer whose id looks like an act on others', async () => {
  const receiver = await startWebhookReceiver();
  afterAll(() => receiver.close());
  // Its own, because it lists the receiver of this file.
  const server = await startServer({ WEBHOOK_ORIGINS: receiver.origin, LEASE_MAX_PER_VIEWER: '1' });
  const { client, adminApiKey: admin, jwtSecret } = server;
  const events = ['lease.revoked', 'lease.limit-reached'];
  await client.post('/api/v1/webhooks', admin, { name: 'All', url: `${receiver.origin}/in`, events });
  const film = await registerContent(server);

  const auditOf = async (query: Record<string, string>) => {
    const { json } = await client.get(`/api/v1/audit?${new URLSearchParams(query)}`, admin);
    return json.audit as { id: string; target: string; action: string }[];
  };
  const revoke = async (body: object): Promise<string> => {
    const { status, requestId } = await client.post('/keys/leases/revoke', admin, body);
    expect(status).toBe(200);
    return requestId;
  };
  const eventOf = (requestId: string) =>
    eventually(() => {
      const found = receiver.messages.filter(({ data }) => data.requestId === requestId);
      expect(found).toHaveLength(1);
      return found[0]?.data;
    });

  const ada = unique('ada');
  const misleading = [
    `${ada} content:${film}`,
    `x viewer:${ada}`,
    `${ada}","viewerId":"ada`,
    `${ada}" content:${film}`,
    `"${ada}" content:${film}`,
    `${ada}\\" content:${film}`,
    `${ada}\u00a0content:${film}`,
    `${ada}\u2028content:${film}`,
    ` ${ada}`,
    `viewer:${ada}`,
    `content:${film}`,
  ];

  // All before the first test, because each event comes a second after its act.
  const revoked: [viewerId: string, byViewer: string, byPair: string][] = [];
  for (const viewerId of misleading)
    revoked.push([
      viewerId,
      await revoke({ viewerId, reason: 'left' }),
      await revoke({ viewerId, contentId: film }),
    ]);

  it.each(revoked)(
    'the event and the record of a revocation of %j name exactly that viewer',
    async (viewerId, byViewer, byPair) => {
      expect(await eventOf(byViewer)).toMatchObject({
        viewerId,
        contentId: null,
        leaseId: null,
        reason: 'left',
      });
      expect(await eventOf(byPair)).toMatchObject({ viewerId, contentId: film, leaseId: null });
      const { auditId } = (await eventOf(byViewer)) as { auditId: string };
      const record = (await auditOf({ action: 'lease.revoke' })).find(({ id }) => id === auditId);
      expect((await auditOf({ target: record?.target ?? '' })).map(({ id }) => id)).toEqual([auditId]);
    },
  );

  it('the filters of other viewers and contents do not match the records of such a viewer', async () => {
    const other = await registerContent(server);
    const id = unique('eve');
    for (const viewerId of [`${id} content:${other}`, `x viewer:${id}`, `${id}","viewerId":"ada`])
      await revoke({ viewerId });
    for (const target of [
      `viewer:${id}`,
      `content:${other}`,
      `viewer:${id} content:${other}`,
      `viewer:x viewer:${id}`,
      id,
      other,
    ])
      expect([target, (await auditOf({ target, action: 'lease.revoke' })).length]).toEqual([target, 0]);
    await revoke({ viewerId: id, contentId: other });
    expect(await auditOf({ target: `viewer:${id} content:${other}` })).toHaveLength(1);
  });

  it('the event of a viewer at its limit names it and the content that it asked for', async () => {
    const { contentId } = await makeScene(server);
    const viewerId = `${unique('eve')} content:${film}`;
    const token = viewerToken(jwtSecret, viewerId);
    const ask = () => client.post('/keys/leases', token, { contentId });
    expect((await ask()).status).toBe(201);
    const { status, requestId } = await ask();
    expect(status).toBe(409);
    expect(await eventOf(requestId)).toMatchObject({ viewerId, contentId, count: 1 });
  });
});
