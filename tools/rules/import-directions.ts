import { posix } from 'node:path';

const services = ['auth', 'content', 'key-derivation', 'leases', 'playback'];
const browserPackages = ['player', 'uploader'];
/** What sees a server from outside. */
const blackBox = ['tests/api', 'tests/browser', 'tests/programs', 'tests/support'];
/** The packages of the product: they run without tests, measurements or examples. */
const productPackage = /^(shared|gateway|cli|admin|services\/|sdk\/)/;
/** The check compares the declared variables with the documents and manifests, and a document is made of the metrics. */
const sharedForTools = ['@latchkey/shared/config', '@latchkey/shared/metrics/catalogue'];
const testFile = /\.(test|fixture)\.ts$/;
/** Tests, tools and examples may read the environment anywhere. */
const readsEnvironment =
  /(^|\/)(main|serve|edge|single-node)\.ts$|\.(test|setup)\.ts$|^(tools|tests|examples)\/|\.config\.ts$/;

/** Inside a service an import goes to the same layer or to a lower one. */
const layers: readonly [layer: number, path: RegExp][] = [
  [5, /^serve\.ts$/],
  [4, /^index\.ts$/],
  [3, /^mount(-on-owners)?\.ts$/],
  [2, /^routes\//],
];
const lowestLayer = 1;

/**
 * The folders of `shared/src`, lowest first. A file imports from its own folder and from earlier ones, so each folder can be
 * understood with only the ones before it.
 */
const sharedFolders = [
  'schema',
  'errors',
  'clock',
  'contracts',
  'hls',
  'derivation',
  'seal',
  'net',
  'tls',
  'memory',
  'traces',
  'log',
  'lifecycle',
  'config',
  'db',
  'audit',
  'events',
  'statistics',
  'metrics',
  'authority',
  'replicas',
  'auth',
  'upstream',
  'http',
  'internal',
  'process',
  'testing',
];

/** The room that a file belongs to (`services/auth`, `tests/api`, `shared`, …); `tools` stands for the root. */
function packageOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (['services', 'sdk', 'tests'].includes(first)) return `${first}/${second}`;
  return file.includes('/') ? first : 'tools';
}

/** The other packages of the workspace that a file may import by name. */
function mayImport(file: string, specifier: string): boolean {
  const name = specifier.split('/')[1] ?? '';
  const home = packageOf(file);
  if (services.includes(name)) {
    // The single node mounts every service, the edge one of them, and `latchkey api-keys` creates a key without a running server.
    if (file === 'gateway/src/edge.ts') return name === 'key-derivation';
    // `latchkey master-key` puts a key where key-derivation uses it.
    if (home === 'cli') return name === 'auth' || specifier === '@latchkey/key-derivation/custody';
    return file.startsWith('gateway/src/single-node');
  }
  // Packages for browsers are published: code outside of the server may use them.
  if (browserPackages.includes(name)) return blackBox.includes(home) || ['cli', 'examples'].includes(home);
  // The code that starts servers and stores for tests is not part of the product.
  if (name === 'support')
    return home !== 'tests/support' && (!productPackage.test(home) || testFile.test(file));
  if (home === 'shared' || home === 'admin' || home.startsWith('sdk/')) return false;
  if (blackBox.includes(home)) return specifier === '@latchkey/cli/encrypt';
  if (name === 'shared') return home !== 'tools' || sharedForTools.includes(specifier);
  // The rest are tools: only other tools use them.
  return ['cli', 'tests/bench', 'examples'].includes(home);
}

/**
 * Finds the imports and reads of `process.env` in one file that the architecture does not allow. Each comes as a
 * sentence.
 *
 * @param file path from the root of the repository
 * @param source the text of the file
 */
export function findWrongImports(file: string, source: string): string[] {
  const wrong: string[] = [];
  for (const specifier of importsOf(source)) {
    if (specifier.startsWith('@latchkey/') && !mayImport(file, specifier)) {
      wrong.push(`${file} imports ${specifier}, which ${packageOf(file)} may not know`);
    }
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(file), specifier);
      wrong.push(...judgeRelative(file, target));
    }
  }
  if (!readsEnvironment.test(file) && /\bprocess\.env\b/.test(withoutComments(source))) {
    wrong.push(`${file} reads process.env: only entry files do, and pass the values on`);
  }
  return wrong;
}

/** The oracle records the answers to the same odd requests that tests of the gateway send. */
const oddKeyRequests = 'gateway/src/odd-key-requests.fixture.ts';

function judgeRelative(file: string, target: string): string[] {
  const home = packageOf(file);
  if (home === 'tests/oracle' && target === oddKeyRequests) return [];
  if (packageOf(target) !== home && (productPackage.test(home) || !target.startsWith('tools/'))) {
    return [`${file} reaches out of its package to ${target}: import it by the name of the package`];
  }
  if (testFile.test(file)) return [];
  if (home === 'shared') return judgeShared(file, target);
  if (!home.startsWith('services/')) return [];
  if (layerOf(target, home) <= layerOf(file, home)) return [];
  return [`${file} imports ${target}, which stands above it (serve → index → mount → routes → the rest)`];
}

function judgeShared(file: string, target: string): string[] {
  const [from = '', to = ''] = [file, target].map((path) => path.split('/')[2]);
  const unplaced = [from, to].filter((folder) => !sharedFolders.includes(folder));
  if (unplaced.length > 0)
    return unplaced.map((folder) => `${file}: shared/src/${folder} has no place in the order of folders`);
  if (sharedFolders.indexOf(to) <= sharedFolders.indexOf(from)) return [];
  return [`${file} imports ${target}, which stands above it (${sharedFolders.join(' → ')})`];
}

function layerOf(file: string, home: string): number {
  const inside = file.slice(`${home}/src/`.length);
  return layers.find(([, path]) => path.test(inside))?.[0] ?? lowestLayer;
}

/** The specifiers of `import … from`, `export … from`, `import '…'` and `import('…')`; not of a text that begins with one. */
export function importsOf(source: string): string[] {
  const pattern =
    /(?:^|[^\w.`])(?:(?:import|export)\s[^'"`;]*?\bfrom\s*|import\s*\(?\s*)(['"])([^'"\n]+)\1/gm;
  return [...withoutComments(source).matchAll(pattern)].map((match) => match[2] ?? '');
}

/** Good enough for a search, although it also removes text in a string that looks like a comment. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1');
}
