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
}

/** Every image, by its build argument PACKAGE. */
export const images: Readonly<Record<string, Image>> = {
  gateway: { packages: ['shared', 'gateway'], entry: 'gateway/src/main.ts', hasDashboard: true, port: 4100 },
  'services/key-derivation': service('key-derivation', 4101),
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
