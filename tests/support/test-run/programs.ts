import type { Tool } from '../provide-tool.ts';

/** One subject of `npm test -- programs`. */
interface Program {
  /** Its files, as paths from the root: a folder, or the start of a name. */
  readonly files: readonly string[];
  /** Text in the names of its tests, if other programs share the files. */
  readonly named?: string;
  /** The tools that it needs. Missing ones are installed. A test installs further ones itself. */
  readonly tools?: readonly Tool[];
}

const folder = 'tests/programs';
const ofClients = (name: string) => `${folder}/clients/${name}.test.ts`;
const proxy = (named: string): Program => ({ files: [`${folder}/proxies/`], named });

/**
 * The programs of others that Latchkey is used with, and the examples, which show in half a minute each what other tests hold. They
 * take minutes and install what they need, so they run before a release, and before a change of their subject is done.
 */
export const programs = {
  nginx: proxy('nginx'),
  caddy: proxy('Caddy'),
  haproxy: proxy('HAProxy'),
  traefik: proxy('Traefik'),
  browsers: { files: ['browsers', 'clear-key', 'receiver'].map(ofClients) },
  ffmpeg: { files: [ofClients('ffmpeg')] },
  vlc: { files: [ofClients('vlc')], tools: ['vlc'] },
  mpv: { files: [ofClients('mpv')], tools: ['mpv'] },
  gstreamer: { files: [ofClients('gstreamer')], tools: ['gstreamer'] },
  'session-urls': { files: [ofClients('sessions')], tools: ['vlc', 'mpv', 'gstreamer'] },
  softhsm: { files: [`${folder}/softhsm.test.ts`], tools: ['softhsm'] },
  swift: { files: [`${folder}/swift.test.ts`], tools: ['swift'] },
  prometheus: {
    files: [`${folder}/prometheus.test.ts`, `${folder}/alerts/`],
    tools: ['promtool', 'prometheus'],
  },
  systemd: { files: [`${folder}/systemd.test.ts`] },
  packagers: { files: [`${folder}/packagers/`, 'cli/src/live/live-ffmpeg.test.ts'] },
  'point-in-time': { files: [`${folder}/point-in-time.test.ts`] },
  logrotate: { files: [`${folder}/logrotate.test.ts`], tools: ['logrotate'] },
  pnpm: { files: [`${folder}/first-start.test.ts`] },
  pgbouncer: { files: ['shared/src/db/pgbouncer.test.ts'], tools: ['pgbouncer'] },
  documents: { files: [`${folder}/documents/`, 'k8s/src/documented-commands.test.ts'], tools: ['firefox'] },
  'openapi-clients': { files: [`${folder}/openapi-clients/`] },
  examples: { files: ['examples/demo/demo.test.ts'] },
} as const satisfies Record<string, Program>;

/** The patterns of all their files. */
export const programFiles = [
  `${folder}/**/*.test.ts`,
  ...Object.values<Program>(programs).flatMap(({ files }) =>
    files.filter((file) => !file.startsWith(folder)),
  ),
];

/** Of `vitest.config.ts`: what `npm test` runs. The oracle, the programs of others and the examples run by name. */
const usual = ['black-box', 'packages'].map((name) => `--project=${name}`);

/** The parameters of a run: arguments of vitest, and the programs to install. */
export interface Selection {
  args: string[];
  tools: Tool[];
}

/** A program that no test is about. Its message names the others. */
export class UnknownProgram extends Error {}

/**
 * Reads the arguments of `npm test`. Only the word `programs`, or a path to one of their files, selects programs, and only the
 * word `oracle` the oracle.
 *
 * @throws UnknownProgram
 */
export function selectTests(args: readonly string[]): Selection {
  const [word, ...rest] = args;
  if (word === 'oracle' || word?.startsWith('tests/oracle'))
    return { args: ['--project=oracle', ...rest], tools: [] };
  if (word !== 'programs') {
    const files = [folder, ...Object.values<Program>(programs).flatMap((program) => program.files)];
    const isOfPrograms = args.some((arg) => files.some((file) => arg.startsWith(file)));
    return { args: isOfPrograms ? [...args] : [...usual, ...args], tools: [] };
  }
  const names = rest.filter((arg) => !arg.startsWith('-'));
  const unknown = names.find((name) => !Object.hasOwn(programs, name));
  if (unknown !== undefined)
    throw new UnknownProgram(
      `programs ${unknown}: accepted are ${Object.keys(programs).join(', ')}, or none for all`,
    );
  const chosen = (names.length > 0 ? names : Object.keys(programs)).map(
    (name): Program => programs[name as keyof typeof programs],
  );
  const tools = [...new Set(chosen.flatMap(({ tools = [] }) => tools))];
  const options = rest.filter((arg) => arg.startsWith('-'));
  if (names.length === 0) return { args: ['--project=programs', ...options], tools };
  const files = [...new Set(chosen.flatMap(({ files }) => files))];
  // With a program that has files of its own, every test of the shared ones runs too.
  const named = chosen.flatMap(({ named }) => named ?? []);
  const filter = named.length === chosen.length ? ['-t', named.join('|')] : [];
  return { args: ['--project=programs', ...options, ...filter, ...files], tools };
}
