import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ComposeService, readComposeFile } from '@latchkey/support/black-box/compose-file';
import { compileCache } from '@latchkey/support/processes/spawn-entry';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it } from 'vitest';
import { images } from '../../tools/image/images.ts';

const packageJson = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'));
const { text, file } = readComposeFile();
const all = Object.entries(file.services);
const own = all.filter(([, { build }]) => build);
const imageOf = ({ build }: ComposeService) => images[build?.args.PACKAGE ?? ''];

/** The services whose environment has that variable, by its own name or as a file. */
function holders(variable: string): string[] {
  return all
    .filter(([, { environment = {} }]) => variable in environment || `${variable}_FILE` in environment)
    .map(([name]) => name)
    .sort();
}

/** Commands of the document, on lines of their own and in sentences. */
const documentedCommands =
  readFileSync(join(repositoryFolder, 'docs/operate/containers.md'), 'utf8').match(
    /(?<=^|`|&& )docker compose [^`\n]*/gm,
  ) ?? [];

const verifyTokens = ['auth', 'content', 'key-derivation', 'leases'];
const behindGateway = [...verifyTokens, 'playback'];
/** The edge is the gateway with key-derivation, and has what both have. */
const deriving = ['edge', 'key-derivation'];
const keepRows = ['auth', 'content', 'leases'];

it.each([
  ['MASTER_KEY_HEX', [...deriving, 'single-node']],
  ['SALT_HEX', [...deriving, 'single-node']],
  ['MASTER_KEY_HEX_V2', [...deriving, 'single-node']],
  ['SALT_HEX_V2', [...deriving, 'single-node']],
  ['ADMIN_API_KEY', ['auth', 'single-node']],
  ['SETUP_TOKEN', ['auth', 'single-node']],
  ['DASHBOARD_USER_SECRET', ['edge', 'gateway', 'single-node']],
  ['AWS_ACCESS_KEY_ID', ['content', 'single-node']],
  ['AWS_SECRET_ACCESS_KEY', ['content', 'single-node']],
  ['AUTH_JWT_SECRET', [...verifyTokens, 'edge', 'single-node']],
  ['PLAYLIST_ORIGINS', ['content', 'playback', 'single-node']],
  ['INTERNAL_SECRET', [...behindGateway, 'edge', 'gateway']],
  ['DATABASE_URL', [...keepRows, 'migrate']],
  ['POSTGRES_PASSWORD', ['postgres']],
  ['AUTH_DATABASE_PASSWORD', ['migrate']],
  ['CONTENT_DATABASE_PASSWORD', ['migrate']],
  ['LEASES_DATABASE_PASSWORD', ['migrate']],
  ['REDIS_URL', [...behindGateway, 'edge']],
  ['NATS_URL', [...behindGateway, 'edge']],
])('Compose passes %s to these services alone: %j', (variable, expected) =>
  expect(holders(variable)).toEqual([...expected].sort()),
);

it.each(keepRows)(
  '%s connects to the database as its own role, with a password that no other service has',
  (name) => {
    const variable = `${name.toUpperCase()}_DATABASE_PASSWORD`;
    const users = all.filter(([, { environment = {} }]) => JSON.stringify(environment).includes(variable));
    expect(users.map(([user]) => user).sort()).toEqual([name, 'migrate'].sort());
    expect(file.services[name]?.environment?.DATABASE_URL).toMatch(
      new RegExp(`^postgres://latchkey_${name}:\\$\\{${variable}:\\?`),
    );
    expect(file.services.migrate?.command).toEqual(['migrate', '--roles']);
  },
);

it.each([
  ...['MASTER_KEY_HEX', 'SALT_HEX', 'AUTH_JWT_SECRET', 'INTERNAL_SECRET', 'POSTGRES_PASSWORD'],
  ...keepRows.map((name) => `${name.toUpperCase()}_DATABASE_PASSWORD`),
])('without %s, Compose stops with its name and how to make it', (name) => {
  const uses = [...text.matchAll(new RegExp(`\\$\\{${name}[:?-][^}]*\\}`, 'g'))].map(([use]) => use);
  expect(uses.length).toBeGreaterThan(0);
  for (const use of uses)
    expect(use).toMatch(
      new RegExp(`^\\$\\{${name}:?\\?${name} is not set\\. .*npx latchkey keygen --out \\.env`),
    );
});

it('only the front door publishes a port, and only to this machine by default', () => {
  const published = all.filter(([, { ports }]) => ports).map(([name]) => name);
  expect(published).toEqual(['gateway', 'edge', 'single-node']);
  for (const name of published)
    expect(file.services[name]?.ports).toEqual([
      expect.stringMatching(/^\$\{LATCHKEY_ADDRESS:-127\.0\.0\.1\}:\$\{LATCHKEY_PORT:-4100\}:4100$/),
    ]);
});

it.each([
  ['edge', ['edge', 'gateway', 'single-node']],
  ['services', [...behindGateway, 'edge', 'gateway']],
  ['states', [...behindGateway, 'edge', 'nats', 'redis']],
  ['rows', [...keepRows, 'migrate', 'postgres']],
])('the network %s of Compose joins %j', (network, expected) => {
  const members = all.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name);
  expect(members.sort()).toEqual([...expected].sort());
});

it('the networks of the stores have no connection to the outside', () => {
  expect(Object.keys(file.networks)).toEqual(['edge', 'services', 'states', 'rows']);
  expect([file.networks.states, file.networks.rows]).toEqual([{ internal: true }, { internal: true }]);
});

it.each(own)('the URLs of services that %s gets name their ports', (_, { environment = {} }) => {
  for (const [name, value] of Object.entries(environment)) {
    if (!name.endsWith('_SERVICE_URL')) continue;
    const { hostname, port } = new URL(value);
    const service = file.services[hostname];
    expect(service && imageOf(service)?.port).toBe(Number(port));
    expect(name).toBe(`${hostname.toUpperCase().replace('-', '_')}_SERVICE_URL`);
  }
});

it.each(all)(
  'the container of %s has no right that it does not need, a bounded log, a health check that starts no Node, and an image that is official or built here',
  (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']),
      restart: name === 'migrate' ? 'on-failure' : 'unless-stopped',
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
    });
    expect([service.cap_add, service.privileged]).toEqual([undefined, undefined]);
    // The images of this repository set their user themselves.
    if (!service.build) expect(service.user).toMatch(/^(postgres|redis|1000:1000)$/);
    expect(service.logging).toEqual({
      driver: 'json-file',
      options: { 'max-size': `\${LATCHKEY_LOG_MAX_SIZE:-50m}`, 'max-file': `\${LATCHKEY_LOG_MAX_FILES:-4}` },
    });
    if (name === 'migrate') expect(service.healthcheck).toEqual({ disable: true });
    else if (service.build)
      expect(service.healthcheck.test).toEqual(['CMD', 'bash', '/app/healthcheck.sh', '/ready']);
    else expect(service.healthcheck.test?.[0]).toBe('CMD');
    if (service.build) {
      // A name that no registry resolves.
      expect(service.image).toBe(
        `\${LATCHKEY_REGISTRY:-latchkey.invalid}/${name === 'migrate' ? 'cli' : name}:\${LATCHKEY_VERSION:-${packageJson.version}}`,
      );
      expect(imageOf(service)).toBeDefined();
    } else expect(service.image).toMatch(/^(postgres|redis|nats):[0-9.]+-alpine$/);
  },
);

/** Speeds up the start, and configures nothing. */
const env = { NODE_COMPILE_CACHE: compileCache };

it.each(own)('%s gets from Compose only variables that its process reads', async (_, service) => {
  const { entry, port } = imageOf(service) ?? { entry: '', port: null };
  const names = Object.keys(service.environment ?? {});
  // The help of the command line lists the passwords of the roles, but not DATABASE_URL.
  const help = port === null ? ['migrate', '--help'] : ['--help'];
  const { stdout } = await promisify(execFile)(process.execPath, [join(repositoryFolder, entry), ...help], {
    env,
  });
  const read = new Set([...stdout.matchAll(/^([A-Z][A-Z0-9_]+),? .*\(/gm)].map((match) => match[1]));
  if (port === null) read.add('DATABASE_URL');
  expect(names.filter((variable) => !read.has(variable))).toEqual([]);
  if (port !== null) expect(stdout).toMatch(new RegExp(`^PORT \\(default ${port}\\)`, 'm'));
});

it('a variable sets how many containers a service has, so that an upgrade keeps the number', () => {
  const numbers = all.filter(([, { scale }]) => scale).map(([name, { scale }]) => [name, scale]);
  const variableOf = (name: string) => `\${${name.toUpperCase().replace('-', '_')}_REPLICAS:-1}`;
  expect(Object.fromEntries(numbers)).toEqual(
    Object.fromEntries(['gateway', ...behindGateway].map((name) => [name, variableOf(name)])),
  );
  expect(documentedCommands.length).toBeGreaterThan(15);
  expect(documentedCommands.filter((command) => command.includes('--scale'))).toEqual([]);
});

it('the commands of docs/operate/containers.md also work with docker-compose 1.29, which has no --wait', () => {
  expect(documentedCommands.filter((command) => command.includes('--wait'))).toEqual([]);
});

it('Compose starts the edge with what it needs, without gateway and key-derivation, and with the settings of both', () => {
  const needed = all
    .map(([name]) => name)
    .filter((name) => !['gateway', 'key-derivation', 'edge', 'postgres', 'single-node'].includes(name));
  expect(file.services.edge?.depends_on).toEqual(expect.arrayContaining(needed));
  expect(file.services.edge?.depends_on).toHaveLength(needed.length);
  const [edge, gateway, keys] = ['edge', 'gateway', 'key-derivation'].map((name) => ({
    ...file.services[name]?.environment,
  }));
  const { KEY_DERIVATION_SERVICE_URL: _, ...ofBoth } = { ...gateway, ...keys };
  expect(edge).toEqual(ofBoth);
});

it('Compose starts the distributed profile by default, and the single node is one container with one volume', () => {
  expect(all.filter(([, { profiles }]) => profiles).map(([name]) => name)).toEqual(['edge', 'single-node']);
  expect(file.services['single-node']?.volumes).toEqual(['single-node:/data']);
  expect(Object.keys(file.volumes)).toEqual(['postgres', 'postgres-socket', 'single-node']);
});

it('compose.yaml has nothing that Compose before version 2 does not understand', () => {
  expect(Object.keys(file).filter((key) => !key.startsWith('x-'))).toEqual([
    'services',
    'networks',
    'volumes',
  ]);
  // A fixed name of a container would prevent a second replica.
  expect(text).not.toMatch(
    /^\s*(container_name|include|develop|extends|configs|secrets|start_interval|deploy):/m,
  );
});
