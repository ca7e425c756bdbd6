import { setTimeout as sleep } from 'node:timers/promises';
import { viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { type Answer, ask } from '../client/ask.ts';
import { createManagement, demand } from '../client/management.ts';
import { adminKey, internalSecret, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';

const viewers = 10;
const ttlSeconds = 4;
const renewEveryMs = 2_000;
const askEveryMs = 500;
/** Longer than the life (4 s) and the default grace (30 s) of the state that the replicas read first. */
const quietMs = 36_000;
/** Longer than the quiet time, so that the quiet viewers ask again. */
const watchedMs = 42_000;
const contentId = 'renewed-film';

/**
 * Viewers with short leases renew them in time, while neither pushes nor shared states reach the replicas. Half of them ask
 * for no key until the replicas' state of their lease is beyond its grace. No request may be refused. Returns a table.
 */
export async function loseRenewals(stack: Stack, checks: Checks): Promise<string> {
  const gateway = stack.gateways[0]?.url ?? '';
  const management = createManagement(() => gateway, adminKey);
  await demand(management.registerContent(contentId));
  const players = await Promise.all(
    Array.from({ length: viewers }, async (_, index) => {
      const viewerId = `renewing-${index}`;
      const body = { viewerId, contentId, requestedTtlSeconds: ttlSeconds };
      const { lease } = await demand(management.call('POST', '/keys/leases', body));
      const token = viewerToken(tokenSecret, viewerId);
      return { leaseId: String(lease.id), token };
    }),
  );
  const links = [...stack.links].filter(([name]) => /^key-derivation-\d (nats|redis)$/.test(name));
  for (const [, link] of links) link.cut();

  const answers: Answer[] = [];
  const renewals: Answer[] = [];
  const endMs = performance.now() + watchedMs;
  const renew = async ({ leaseId }: (typeof players)[number]) => {
    while (performance.now() < endMs) {
      const json = { leaseId, requestedTtlSeconds: ttlSeconds };
      renewals.push(await management.call('POST', '/keys/leases/renew', json));
      await sleep(renewEveryMs);
    }
  };
  const play = async ({ leaseId, token }: (typeof players)[number], url: string, isQuiet: boolean) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'x-lease-id': leaseId,
      'x-latchkey-secret': internalSecret,
    };
    for (let asked = 0; performance.now() < endMs; asked++) {
      answers.push(await ask(url, { path: `/keys/${contentId}`, headers }));
      await sleep(isQuiet && asked === 0 ? quietMs : askEveryMs);
    }
  };
  try {
    const replicas = stack.servers['key-derivation'].map(({ url }) => url);
    await Promise.all(
      players.flatMap((player, index) => [
        renew(player),
        ...replicas.map((url) => play(player, url, index % 2 === 0)),
      ]),
    );
  } finally {
    for (const [, link] of links) link.heal();
  }
  const refused = answers.filter(({ status }) => status >= 400 && status < 500);
  checks.check('renewals without their pushes: every renewal is answered 200', renewals.every(isOk));
  checks.check(
    'renewals without their pushes: no viewer is refused while its lease is renewed in time',
    links.length > 0 && answers.some(isOk) && refused.length === 0,
    [...new Set(refused.map(({ code }) => code))].join(', '),
  );
  const keys = answers.filter(isOk).length;
  return [
    '| renewals | keys | refused | 503 or no answer |',
    '|---|---|---|---|',
    `| ${renewals.length} | ${keys} | ${refused.length} | ${answers.length - keys - refused.length} |`,
  ].join('\n');
}

function isOk({ status }: Answer): boolean {
  return status === 200;
}
