import { migrate, openDatabase } from '@latchkey/shared/db';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { Cleanup } from '../cleanup.ts';
import type { KeySubject } from '../keys/key-subject.ts';
import { startLatchkey, toSubject } from '../keys/single-subjects.ts';
import {
  createLeases,
  keyPath,
  listedRequests,
  registerContent,
  viewers,
  viewerTokens,
} from '../keys/viewers.ts';
import { becomesReady, type Subject, tokenSecret } from '../servers.ts';
import { startGateway, startKeyDerivation, startOwners } from '../stack/services.ts';

/** Two processes of the same server, which get the same requests. */
export interface OverloadSubject {
  name: string;
  /** With `OVERLOAD_DELAY_MS=off`. */
  off: KeySubject;
  /** With `OVERLOAD_DELAY_MS=10`. */
  on: KeySubject;
}

const settings = { off: { OVERLOAD_DELAY_MS: 'off' }, on: { OVERLOAD_DELAY_MS: '10' } };
type Setting = keyof typeof settings;

/**
 * The single node with requests that cost it little and much, and a gateway before key-derivation.
 *
 * @param only a part of the name of what is measured
 * @throws Error if Postgres is not installed on this machine
 */
export async function startOverloadSubjects(cleanup: Cleanup, only: string): Promise<OverloadSubject[]> {
  const tokens = viewerTokens();
  const both = async (name: string, open: (setting: Setting) => Promise<KeySubject>) =>
    name.includes(only) ? [{ name, off: await open('off'), on: await open('on') }] : [];
  const single = (name: string, setting: Setting) =>
    startLatchkey(`${name} ${setting}`, cleanup, undefined, settings[setting]);
  return [
    ...(await both('single node, known keys', async (setting) => {
      const server = await single('known', setting);
      return toSubject(server, listedRequests(tokens, await createLeases(server, tokens)));
    })),
    ...(await both('single node, new tokens', async (setting) =>
      toSubject(await single('fresh', setting), {
        kind: 'new tokens',
        path: keyPath,
        host: 'keys.example',
        secret: tokenSecret,
        viewers,
      }),
    )),
    ...(await both('single node, new leases', async (setting) =>
      toSubject(await single('leases', setting), { kind: 'listed', requests: tokens.map(leaseRequest) }),
    )),
    ...(await both('gateway, known keys', createGatewayStarter(cleanup, tokens))),
  ];
}

function leaseRequest(token: string): string {
  const body = JSON.stringify({ contentId: 'film' });
  const lines = [
    'POST /keys/leases HTTP/1.1',
    'host: keys.example',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Both gateways have the same services, which start with the first one. */
function createGatewayStarter(cleanup: Cleanup, tokens: readonly string[]) {
  let started: ReturnType<typeof startServices> | null = null;
  let leases: string[] | null = null;
  return async (setting: Setting): Promise<KeySubject> => {
    started ??= startServices(cleanup);
    const { owners, keyDerivation } = await started;
    const gateway: Subject = cleanup.add(
      await startGateway(`gateway ${setting}`, owners, [keyDerivation], settings[setting]),
    );
    await becomesReady(gateway.url);
    if (!leases) {
      await registerContent(gateway);
      leases = await createLeases(gateway, tokens);
    }
    return toSubject(gateway, listedRequests(tokens, leases), keyDerivation.pid);
  };
}

async function startServices(cleanup: Cleanup) {
  const postgres = cleanup.add(await startOwnPostgres());
  const db = openDatabase({ databaseUrl: postgres.url, sqlitePath: '' });
  await migrate(db);
  await db.destroy();
  const backings = { DATABASE_URL: postgres.url };
  const owners = await startOwners(backings);
  for (const server of Object.values(owners.servers)) cleanup.add(server);
  const keyDerivation = cleanup.add(await startKeyDerivation('key-derivation', owners, backings));
  return { owners, keyDerivation };
}
