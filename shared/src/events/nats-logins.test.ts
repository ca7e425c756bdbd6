import { changeNatsSettings } from '@latchkey/support/stores/changed-users';
import { startNatsVariant } from '@latchkey/support/stores/nats-variants';
import { findProgram } from '@latchkey/support/stores/own-stores';
import type { ServerProgram } from '@latchkey/support/stores/server-program';
import { nkeys } from '@nats-io/transport-node';
import { expect, onTestFinished, test as plainTest, vi } from 'vitest';
import { openNatsLink } from './nats-link.ts';

const test = plainTest.skipIf(findProgram('nats-server') === undefined);
const waiting = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000 });

const withPassword = (password: string) => `authorization { user: latchkey, password: "${password}" }`;
const setUser = (server: ServerProgram, line: string) =>
  changeNatsSettings(server, (settings) => settings.replace(/authorization .*/, line));

async function start(line: string): Promise<ServerProgram> {
  const server = await startNatsVariant({ lines: [line] });
  onTestFinished(() => server.stop());
  return server;
}

/** A link whose secret can change: what the process knows, and what its file holds. */
function link(text: string, accessOf: (secret: Renewable) => Partial<Parameters<typeof openNatsLink>[0]>) {
  const secret = { value: text, file: text };
  const faults: string[] = [];
  const opened = openNatsLink({
    url: '',
    ...accessOf({ reveal: () => secret.value, newest: () => secret.file }),
    name: 'latchkey test',
    origin: '00000000',
    receive: () => {},
    onFault: (error) => void faults.push(String(error)),
  });
  onTestFinished(() => opened.close());
  const isUp = () => vi.waitFor(() => expect(opened.connection()).not.toBeNull(), waiting);
  return {
    ...{ secret, faults, isUp },
    /** Does what closes the connection, and waits until there is a new one. */
    async lose(work: () => Promise<void>): Promise<void> {
      const before = opened.connection();
      await work();
      await before?.closed();
      await isUp();
    },
  };
}
interface Renewable {
  reveal(): string;
  newest(): string;
}

const urlOf = (server: ServerProgram, password: string) =>
  server.url.replace('//', `//latchkey:${password}@`);

test('NATS closes the connection of a user whose password has changed, and the process comes back with the new one', async () => {
  const server = await start(withPassword('old'));
  const { secret, faults, isUp, lose } = link(urlOf(server, 'old'), (url) => ({ url }));
  await isUp();
  secret.value = secret.file = urlOf(server, 'new');
  await lose(() => setUser(server, withPassword('new')));
  expect(faults.filter((fault) => /authoriz/i.test(fault))).toEqual([]);
});

test('while NATS does not know the new password yet, a lost connection comes back with the one before', async () => {
  const server = await start(withPassword('old'));
  const { secret, faults, isUp, lose } = link(urlOf(server, 'old'), (url) => ({ url }));
  await isUp();
  await lose(() =>
    setUser(server, withPassword('between')).then(() => {
      secret.value = secret.file = urlOf(server, 'new');
      return setUser(server, withPassword('old'));
    }),
  );
  await lose(() => setUser(server, withPassword('new')));
  expect(faults.filter((fault) => /authoriz/i.test(fault)).length).toBeLessThanOrEqual(1);
});

test('while the process does not know the new password, the refusal is reported, and it ends once the file has the password', async () => {
  const server = await start(withPassword('old'));
  const { secret, faults, isUp, lose } = link(urlOf(server, 'old'), (url) => ({ url }));
  await isUp();
  await lose(async () => {
    await setUser(server, withPassword('new'));
    await vi.waitFor(() => expect(faults.join()).toMatch(/lost/), waiting);
    // Nobody tells the process.
    secret.file = urlOf(server, 'new');
  });
});

test('the key pair of a user is replaced by another one', async () => {
  const [old, next] = [nkeys.createUser(), nkeys.createUser()];
  const seedOf = (pair: typeof old) => new TextDecoder().decode(pair.getSeed());
  const line = (pair: typeof old) => `authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }`;
  const server = await start(line(old));
  const { secret, isUp, lose } = link(seedOf(old), (nkey) => ({ url: server.url, access: { nkey } }));
  await isUp();
  secret.value = secret.file = seedOf(next);
  await lose(() => setUser(server, line(next)));
});
