import { afterAll } from 'vitest';
import { metricsPorts } from './read-metrics.ts';
import { type SeparateServices, startSeparateServices } from './separate-services.ts';
import { makeApiKey, masterKeyHex, type OwnSingleNode, saltHex, startSingleNode } from './target.ts';

/** A process of each kind, of both profiles. */
interface MeasuredProcesses {
  singleNode: OwnSingleNode;
  separate: SeparateServices;
  /** The bootstrap key of the separate services. */
  adminApiKey: string;
  /** The port of the metrics of each process, by its name. */
  ports: ReadonlyMap<string, number>;
}

// Nothing listens at the URL of the key set: its age is exported from the start on.
const keySet = { AUTH_JWKS_URL: 'http://127.0.0.1:9/jwks.json' };

/** Starts them, on the Postgres of `TEST_POSTGRES_URL`, until the file's last test. */
export async function startMeasured(): Promise<MeasuredProcesses> {
  const adminApiKey = makeApiKey();
  const env = { NODE_ENV: 'development', MASTER_KEY_HEX: masterKeyHex, SALT_HEX: saltHex, ...keySet };
  const [singleNode, separate] = await Promise.all([
    startSingleNode({ RATE_LIMIT: 'on', RATE_LIMIT_KEYS_PER_MINUTE: '1', ...keySet }),
    startSeparateServices({ ...env, ADMIN_API_KEY: adminApiKey }, process.env.TEST_POSTGRES_URL ?? ''),
  ]);
  afterAll(async () => {
    separate.process.kill('SIGTERM');
    await separate.process.ended();
    await separate.remove();
  });
  const ports = new Map([...metricsPorts(singleNode.process), ...metricsPorts(separate.process)]);
  return { singleNode, separate, adminApiKey, ports };
}

/** Posts JSON with a credential. */
export function post(url: string, path: string, key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
