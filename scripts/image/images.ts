/** The parts of an image. */
export interface Image {
  /** The packages of the workspace that it contains, each after its dependencies. */
  readonly packages: readonly string[];
  /** The file that it runs. */
  readonly entry: string;
  /** Whether it serves the dashboard, which is built beforehand: the image contains its files but none of its packages. */
  readonly hasDashboard: boolean;
  /** The default port; null where the program listens on none. */
  readonly port: number | null;
  /** Packages that its installation brings and its process never loads: they are taken out of the image. */
  readonly unused?: readonly string[];
}

/** What `shared` reaches Postgres and SQLite with. */
const databasePackages = [
  'better-sqlite3',
  'kysely',
  'pg',
  // What pg alone stands on.
  ...['cloudflare', 'connection-string', 'int8', 'pool', 'protocol', 'types'].map((part) => `pg-${part}`),
  'pgpass',
  ...['array', 'bytea', 'date', 'interval'].map((part) => `postgres-${part}`),
];

/** Every image, by its build argument PACKAGE. */
export const images: Readonly<Record<string, Image>> = {
  gateway: { packages: ['shared', 'gateway'], entry: 'gateway/src/main.ts', hasDashboard: true, port: 4100 },
  // It has the master key and no database, so a hole in a driver must not lead there.
  'services/key-derivation': { ...service('key-derivation', 4101), unused: databasePackages },
  'services/leases': service('leases', 4102),
  'services/auth': service('auth', 4103),
  'services/content': service('content', 4104),
  'single-node': {
    packages: [
      'shared',
      ...['auth', 'content', 'key-derivation', 'leases'].map((name) => `services/${name}`),
      'gateway',
    ],
    entry: 'gateway/src/single-node.ts',
    hasDashboard: true,
    port: 4100,
  },
  // `latchkey api-keys` makes keys without a server, by the code of the auth service; `encrypt --upload` is the uploader's.
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

/** The gateway's package has two programs. The image of one leaves out the files of the other, which mounts the services. */
export function isOfAnotherProgram(image: string, file: string): boolean {
  return (
    image === 'gateway' && /^gateway\/src\/(single-node.*|first-run-secrets|migrate-on-start)\.ts$/.test(file)
  );
}
