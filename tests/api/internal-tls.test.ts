import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  askForKey,
  createLease,
  expectKey,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { type OwnEdges, startEdges } from '@latchkey/support/black-box/target';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { afterAll, describe, expect, it } from 'vitest';

const { TEST_POSTGRES_URL = '' } = process.env;
const secret = randomBytes(32).toString('hex');

// The certificates are made by the program openssl.
describe.skipIf(findProgram('openssl') === undefined)('services that speak mutual TLS', async () => {
  const authority = makeCertificateAuthority('the CA');
  const other = makeCertificateAuthority('another CA');
  afterAll(() => {
    authority.remove();
    other.remove();
  });
  const filesOf = ({ cert, key }: { cert: string; key: string }, ca = authority.ca) => ({
    INTERNAL_TLS_CA_FILE: ca,
    INTERNAL_TLS_CERT_FILE: cert,
    INTERNAL_TLS_KEY_FILE: key,
  });
  const stranger = other.issue('edge');
  const edge: OwnEdges = await startEdges(
    TEST_POSTGRES_URL,
    [filesOf(authority.issue('edge')), filesOf(stranger, other.ca), filesOf(stranger)],
    { ...filesOf(authority.issue('service')), INTERNAL_SECRET: secret },
  );
  const [, withOtherCa = '', withOtherCertificate = ''] = edge.doors;

  const reasonOf = async (door: string, service: string) => {
    const ready = await fetch(`${door}/ready`);
    const { dependencies } = (await ready.json()) as { dependencies: Record<string, { reason?: string }> };
    return dependencies[service]?.reason;
  };

  it('keys are served with a lease of the lease service, and a revocation there ends them', async () => {
    const scene = await makeScene(edge);
    const leaseId = await createLease(edge, scene);
    expect(await askForKey(edge, scene, leaseId)).toBe('200');
    await revokeLeases(edge, { leaseId });
    await expectKey(edge, '403 LEASE_REVOKED', scene, leaseId);
  });

  it('the internal secret alone opens no service: a caller without a certificate gets 401, and probes are answered', async () => {
    // The statistics leave out a service that does not report within half a second.
    const services = await eventually(async () => {
      const statistics = await edge.client.get('/api/v1/statistics', edge.adminApiKey);
      const { processes } = statistics.json.statistics as {
        processes: { service: string; address: string }[];
      };
      const others = processes.filter(({ service }) => service !== 'edge');
      expect(others.map(({ service }) => service).sort()).toEqual(['auth', 'content', 'leases', 'playback']);
      return others;
    });
    for (const { address } of services) {
      expect(await askWithoutCertificate(address, '/openapi.json')).toEqual([
        401,
        'certificate no certificate',
      ]);
      expect((await askWithoutCertificate(address, '/health'))[0]).toBe(200);
    }
  });

  it('a process that trusts another CA calls no service, and its readiness and its log name the variable', async () => {
    await eventually(async () =>
      expect(await reasonOf(withOtherCa, 'leases')).toBe(
        'the certificate of leases is not signed by a CA in INTERNAL_TLS_CA_FILE',
      ),
    );
    expect(edge.process.stderr()).toContain(
      `the certificate of leases is not signed by a CA in INTERNAL_TLS_CA_FILE (${other.ca})`,
    );
    const scene = await makeScene(edge);
    const answer = await fetch(`${withOtherCa}/keys/${scene.contentId}`, {
      headers: { authorization: `Bearer ${scene.token}` },
    });
    expect(answer.status).toBe(503);
  });

  it('a process with a certificate of another CA is refused by every service, and says so', async () => {
    for (const service of ['auth', 'content', 'leases', 'playback'])
      await eventually(async () =>
        expect(await reasonOf(withOtherCertificate, service)).toBe(
          'it refused the certificate of this process (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
        ),
      );
  });
});

/** @returns the status, and why a service refused the caller */
function askWithoutCertificate(address: string, path: string): Promise<[number | undefined, unknown]> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `https://${address}${path}`,
      { agent: false, rejectUnauthorized: false, headers: { 'x-latchkey-secret': secret } },
      (answer) => {
        answer.resume();
        resolve([answer.statusCode, answer.headers['x-latchkey-refused']]);
      },
    );
    asked.on('error', reject).end();
  });
}
