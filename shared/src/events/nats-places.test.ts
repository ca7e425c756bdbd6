import { startNatsCluster, startNatsVariant } from '@latchkey/support/stores/nats-variants';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { type CertificateAuthority, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import { openTlsFiles, TlsRefused } from '../tls/index.ts';
import type { BusMessage } from './message.ts';
import { createNatsBus } from './nats-bus.ts';
import { makeNatsOperator } from './nats-operator.fixture.ts';
import type { NatsAccess } from './nats-servers.ts';

const canStart = findProgram('nats-server') !== undefined && findProgram('openssl') !== undefined;
const waiting = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000 });
const seal = createSeal(['the secret of this installation']);
let lastNumber = 0;

function open(url: string, access: NatsAccess = {}, origin = 'a') {
  const received: BusMessage[] = [];
  const faults: unknown[] = [];
  const bus = createNatsBus({
    ...{ url, access, name: origin, origin, seal },
    onFault: (error) => void faults.push(error),
  });
  onTestFinished(() => bus.close());
  bus.subscribe((message) => void received.push(message));
  return { bus, received, faults };
}

type Opened = ReturnType<typeof open>;

async function exchange(sender: Opened, receiver: Opened) {
  for (const { bus } of [sender, receiver]) await vi.waitFor(() => expect(bus.state()).toBe('up'), waiting);
  const { length } = receiver.received;
  await vi.waitFor(async () => {
    const change = { kind: 'content', contentId: 'film' } as const;
    sender.bus.publish({
      type: 'change',
      number: ++lastNumber,
      at: 1,
      link: { id: 'a', previous: null },
      change,
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received.length).toBeGreaterThan(length);
  }, waiting);
}

describe.skipIf(!canStart)('NATS', () => {
  let authority: CertificateAuthority;
  let other: CertificateAuthority;
  beforeAll(() => {
    authority = makeCertificateAuthority();
    other = makeCertificateAuthority('another CA');
  });
  afterAll(() => {
    authority.remove();
    other.remove();
  });

  const options = { now: Date.now, onFault: (error: unknown) => expect.fail(String(error)) };
  const trust = (path: string) => openTlsFiles({ ca: { variable: 'NATS_CA_FILE', path } }, options);
  const start = async (variant: Parameters<typeof startNatsVariant>[0]) => {
    const server = await startNatsVariant(variant);
    onTestFinished(() => server.stop());
    return server;
  };

  test('with TLS, a client certificate and a user with a password, changes are exchanged', async () => {
    const tls = { ...authority.issue('nats'), clientCa: authority.ca };
    const { port } = await start({ tls, lines: ['authorization { user: key, password: "p:w" }'] });
    const own = authority.issue('client');
    const files = openTlsFiles(
      {
        ca: { variable: 'NATS_CA_FILE', path: authority.ca },
        cert: { variable: 'NATS_CERT_FILE', path: own.cert },
        key: { variable: 'NATS_KEY_FILE', path: own.key },
      },
      options,
    );
    const url = `tls://key:p%3Aw@127.0.0.1:${port}`;
    await exchange(open(url, { tls: files }, 'a'), open(url, { tls: files }, 'b'));
    const without = open(url, { tls: trust(authority.ca) });
    // Where the system hands over the end of the connection before the alert, an attempt only finds that it was reset.
    await vi.waitFor(
      () =>
        expect(without.faults.map(String)).toContainEqual(
          expect.stringMatching(/NATS wants a certificate of this process .*NATS_CERT_FILE/),
        ),
      waiting,
    );
  });

  test('a user by key pair and one by credentials file exchange changes, and another key is refused without its seed in the message', async () => {
    const pair = nkeys.createUser();
    const seed = new TextDecoder().decode(pair.getSeed());
    const byKey = await start({ lines: [`authorization { users: [{ nkey: ${pair.getPublicKey()} }] }`] });
    await exchange(open(byKey.url, { nkey: seed }, 'a'), open(byKey.url, { nkey: seed }, 'b'));
    const wrong = new TextDecoder().decode(nkeys.createUser().getSeed());
    const refused = open(byKey.url, { nkey: wrong });
    await vi.waitFor(() => expect(String(refused.faults[0])).toMatch(/Authorization Violation/i), waiting);
    expect(String(refused.faults)).not.toContain(wrong);
    const operator = makeNatsOperator();
    const byCredentials = await start({ lines: operator.lines });
    const { credentials } = operator;
    await exchange(
      open(byCredentials.url, { credentials }, 'a'),
      open(byCredentials.url, { credentials }, 'b'),
    );
  });

  test('a wrong CA, a wrong host name and an expired certificate are reported in words that name the variable', async () => {
    const faultOf = async (url: string, ca: string) => {
      const { faults } = open(url, { tls: trust(ca) });
      await vi.waitFor(() => expect(faults[0]).toBeInstanceOf(TlsRefused), waiting);
      return (faults[0] as TlsRefused).message;
    };
    const good = await start({ tls: authority.issue('good') });
    expect(await faultOf(good.url, other.ca)).toMatch(
      /^the certificate of NATS is not signed by a CA in NATS_CA_FILE \(/,
    );
    const named = await start({ tls: authority.issue('named', { names: 'DNS:localhost' }) });
    expect(await faultOf(named.url, authority.ca)).toMatch(
      /^the certificate of NATS is not for the host name in NATS_URL, .*DNS:localhost/,
    );
    const expired = await start({ tls: authority.issue('expired', { expired: true }) });
    expect(await faultOf(expired.url, authority.ca)).toMatch(/^the certificate of NATS, .*has expired/);
  });

  test('of a cluster of three each server may be lost, and the processes on the others and on the lost one exchange changes', async () => {
    const cluster = await startNatsCluster();
    onTestFinished(() => cluster.stop());
    // By their origins each begins at another server.
    const buses = ['00000000', '00000001', '00000002'].map((origin) => open(cluster.url, {}, origin));
    const [a, b, c] = buses as [Opened, Opened, Opened];
    await exchange(a, b);
    await exchange(b, c);
    await cluster.servers[0]?.stop();
    await exchange(a, c);
    await exchange(c, a);
    await exchange(b, c);
  });
});
