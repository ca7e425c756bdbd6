/** The parts of an image. */
export interface Image {
  /** The packages of the workspace that it contains, each after its dependencies. */
  readonly packages: readonly string[];
  /** The file that it runs. */
  readonly entry: string;
  /** Whether it serves the dashboard. The image then contains its built files, without its packages. */
  readonly hasDashboard: boolean;
  /** The default port; null if the program does not listen. */
  readonly port: number | null;
  /** Installed packages that its process never loads. They are removed from the image. */
  readonly unused?: readonly string[];
}

/** The packages with which `shared` uses Postgres and SQLite. */
const databasePackages = [
  'better-sqlite3',
  'kysely',
  'pg',
  // Packages that only pg needs.
  ...['cloudflare', 'connection-string', 'int8', 'pool', 'protocol', 'types'].map((part) => `pg-${part}`),
  'pgpass',
  ...['array', 'bytea', 'date', 'interval'].map((part) => `postgres-${part}`),
];

/** Every image, by its build argument PACKAGE. */
export const images: Readonly<Record<string, Image>> = {
  gateway: { packages: ['shared', 'gateway'], entry: 'gateway/src/main.ts', hasDashboard: true, port: 4100 },
  // It has the master key and no database, so it must not have the vulnerabilities of a driver.
  'services/key-derivation': { ...service('key-derivation', 4101), unused: databasePackages },
  'services/leases': service('leases', 4102),
  'services/auth': service('auth', 4103),
  'services/content': service('content', 4104),
  // It reaches no database either, and it connects to the internet.
  'services/playback': { ...service('playback', 4105), unused: databasePackages },
  // The gateway and key-derivation in one process.
  edge: {
    packages: ['shared', 'services/key-derivation', 'gateway'],
    entry: 'gateway/src/edge.ts',
    hasDashboard: true,
    port: 4100,
    unused: databasePackages,
  },
  'single-node': {
    packages: [
      'shared',
      ...['auth', 'content', 'key-derivation', 'leases', 'playback'].map((name) => `services/${name}`),
      'gateway',
    ],
    entry: 'gateway/src/single-node.ts',
    hasDashboard: true,
    port: 4100,
  },
  // `latchkey api-keys` makes keys without a server, with the code of the auth service. `encrypt --upload` uses the uploader.
  cli: {
    packages: ['shared', 'services/auth', 'sdk/uploader', 'cli'],
    entry: 'cli/src/main.ts',
    hasDashboard: false,
    port: null,
  },
};

function service(name: string, port: number): Image {
  const packages = ['shared', `services/${name}`];
  return { packages, entry: `services/${name}/src/serve.ts`, hasDashboard: false, port };
}

/** The gateway's package has three programs. An image leaves out the files of programs that mount services which it lacks. */
export function isOfAnotherProgram(image: string, file: string): boolean {
  const program = /^gateway\/src\/(single-node|edge).*\.ts$/.exec(file)?.[1];
  return program !== undefined && (image === 'gateway' || (image === 'edge' && program === 'single-node'));
}
