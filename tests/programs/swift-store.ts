import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findFreePort } from '@latchkey/support/find-free-port';
import type { S3Server } from '@latchkey/support/stores/s3-server';

/** The three stores of OpenStack Swift behind its proxy. */
const kinds = ['object', 'container', 'account'] as const;
/** The middleware that speaks S3 and verifies its signatures, with the middleware that it needs. */
const pipeline = 'catch_errors gatekeeper cache listing_formats s3api tempauth slo dlo proxy-server';
/** For `setpriv` of util-linux, so that no program outlives the tests and keeps its port. */
const endsWithUs = ['--pdeathsig', 'KILL', '--'];
const bucket = 'latchkey-uploads';
/** Four Python programs start, which takes seconds on a busy machine. */
const startTimeoutMs = 60_000;

/**
 * Starts OpenStack Swift with its S3 interface on loopback: an independent store that verifies signatures of version 4 in
 * the query. Swift reads its own clock.
 *
 * @throws Error with the programs' output, if it does not start
 */
export async function startSwiftStore(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-swift-'));
  const children: ChildProcess[] = [];
  const output: string[] = [];
  const run = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    child.on('error', (error) => output.push(String(error)));
    return child;
  };
  const close = async () => {
    await Promise.all(children.map(end));
    rmSync(folder, { recursive: true, force: true });
  };
  const proxyPort = await findFreePort();
  const storePorts = await Promise.all(kinds.map(() => findFreePort()));
  const credentials = {
    region: 'eu-central-1',
    accessKeyId: 'uploads:latchkey',
    secretAccessKey: randomBytes(20).toString('hex'),
  };
  const endpoint = `http://127.0.0.1:${proxyPort}`;
  try {
    mkdirSync(join(folder, 'disks', 'disk'), { recursive: true });
    writeFileSync(join(folder, 'swift.conf'), swiftSettings);
    await Promise.all(
      kinds.map(async (kind, index) => {
        const port = storePorts[index] ?? 0;
        writeFileSync(join(folder, `${kind}.conf`), storeSettings(folder, kind, port));
        await makeRing(run, kind, port);
      }),
    );
    writeFileSync(join(folder, 'proxy.conf'), proxySettings(folder, proxyPort, credentials.secretAccessKey));
    for (const kind of [...kinds, 'proxy'])
      children.push(run('setpriv', [...endsWithUs, `swift-${kind}-server`, join(folder, `${kind}.conf`)]));
    await makeBucket(endpoint, credentials);
  } catch (cause) {
    await close();
    throw new Error(`Swift did not start. It wrote:\n${output.join('')}`, { cause });
  }
  return { endpoint, bucket, ...credentials, close };
}

const swiftSettings = `[swift-hash]
swift_hash_path_prefix = tests
swift_hash_path_suffix = tests
[storage-policy:0]
name = only
default = yes
`;

/** Programs without workers, so that each is one process. */
const common = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
`;

const storeSettings = (folder: string, kind: string, port: number) => `${common(folder, port)}
devices = ${join(folder, 'disks')}
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;

/** The cache does not run; Swift works without it. */
const proxySettings = (folder: string, port: number, secret: string) => `${common(folder, port)}
[pipeline:main]
pipeline = ${pipeline}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# Half a second by default, and after ten failures a store is not asked for a minute: too short next to a dozen other servers.
conn_timeout = 20
node_timeout = 60
error_suppression_limit = 1000000
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:s3api]
use = egg:swift#s3api
location = eu-central-1
[filter:tempauth]
use = egg:swift#tempauth
user_uploads_latchkey = ${secret} .admin
${['catch_errors', 'gatekeeper', 'listing_formats', 'slo', 'dlo'].map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`;

/** A ring says which disk holds an object. Here it is the only disk. */
async function makeRing(
  run: (program: string, args: readonly string[]) => ChildProcess,
  kind: string,
  port: number,
): Promise<void> {
  const place = ['--region', '1', '--zone', '1', '--ip', '127.0.0.1', '--port', String(port)];
  const steps = [
    ['create', '2', '1', '0'],
    ['add', ...place, '--device', 'disk', '--weight', '1'],
    ['rebalance'],
  ];
  for (const step of steps) {
    const code = await codeOf(run('swift-ring-builder', [`${kind}.builder`, ...step]));
    if (code !== 0) throw new Error(`swift-ring-builder ${step[0]} ended with ${code}`);
  }
}

const codeOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });

/** Succeeds once every program answers. */
async function makeBucket(
  endpoint: string,
  { region, accessKeyId, secretAccessKey }: Pick<S3Server, 'region' | 'accessKeyId' | 'secretAccessKey'>,
): Promise<void> {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return client.destroy();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}
