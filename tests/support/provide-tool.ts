import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hasApt, installPackages } from './debian-packages.ts';

/** The variable that prevents installations if it is `false`. */
export const installVariable = 'TEST_INSTALL';

/** Whether Debian packages may be installed. */
export function mayInstall({ env, hasApt }: Pick<Machine, 'env' | 'hasApt'>): boolean {
  return env[installVariable] !== 'false' && hasApt();
}

/** Programs that some tests and examples need and that no package of the workspace contains. */
export type Tool =
  | 'ffmpeg'
  | 'chromium'
  | 'headless-shell'
  | 'firefox'
  | 'kubectl'
  | 'vlc'
  | 'mpv'
  | 'gstreamer'
  | 'swift'
  | 'promtool'
  | 'prometheus'
  | 'logrotate'
  | 'softhsm'
  | 'pgbouncer';

interface ToolSource {
  /** The environment variable with its path. */
  readonly variable: string;
  /** Completes the sentence "which …": why it is needed. */
  readonly purpose: string;
  readonly names: readonly string[];
  /** Undefined if Debian has no package that is new enough. */
  readonly debianPackages: readonly string[] | undefined;
}

export const tools: Readonly<Record<Tool, ToolSource>> = {
  ffmpeg: {
    variable: 'FFMPEG_PATH',
    purpose: 'makes and decodes the videos of tests and examples',
    names: ['ffmpeg'],
    debianPackages: ['ffmpeg'],
  },
  chromium: {
    variable: 'CHROMIUM_PATH',
    purpose: 'runs the dashboard and the players in tests',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    debianPackages: ['chromium', 'chromium-headless-shell'],
  },
  // Chromium without windows. A page in it takes a quarter of Chromium's processor time, but nothing that it sends while its
  // window closes arrives.
  'headless-shell': {
    variable: 'HEADLESS_SHELL_PATH',
    purpose: 'runs pages in tests',
    names: ['chromium-headless-shell', 'chrome-headless-shell'],
    debianPackages: ['chromium-headless-shell'],
  },
  firefox: {
    variable: 'FIREFOX_PATH',
    purpose: 'runs the demonstration as the README describes it',
    names: ['firefox-esr', 'firefox'],
    debianPackages: ['firefox-esr'],
  },
  // Debian 12 packages 1.20, which cannot read manifests for current versions.
  kubectl: {
    variable: 'KUBECTL_PATH',
    purpose: 'renders the manifests for Kubernetes',
    names: ['kubectl'],
    debianPackages: undefined,
  },
  // Without a window: the program and its decoders.
  vlc: {
    variable: 'VLC_PATH',
    purpose: 'is one of the tested players',
    names: ['cvlc', 'vlc'],
    debianPackages: ['vlc-bin', 'vlc-plugin-base'],
  },
  mpv: {
    variable: 'MPV_PATH',
    purpose: 'is one of the tested players',
    names: ['mpv'],
    debianPackages: ['mpv'],
  },
  gstreamer: {
    variable: 'GST_LAUNCH_PATH',
    purpose: 'is one of the tested players',
    names: ['gst-launch-1.0'],
    debianPackages: [
      'gstreamer1.0-tools',
      ...['base', 'good', 'bad', 'ugly'].map((set) => `gstreamer1.0-plugins-${set}`),
      'gstreamer1.0-libav',
    ],
  },
  swift: {
    variable: 'SWIFT_PATH',
    purpose: 'is an S3 store that verifies the signatures of presigned URLs',
    names: ['swift-proxy-server'],
    debianPackages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'],
  },
  promtool: {
    variable: 'PROMTOOL_PATH',
    purpose: 'tests the alert rules and checks the metrics',
    names: ['promtool'],
    debianPackages: ['prometheus'],
  },
  prometheus: {
    variable: 'PROMETHEUS_PATH',
    purpose: 'evaluates the alert rules while servers are broken, and the queries of the dashboards',
    names: ['prometheus'],
    debianPackages: ['prometheus'],
  },
  logrotate: {
    variable: 'LOGROTATE_PATH',
    purpose: 'rotates the forwarded audit while a server writes it',
    names: ['logrotate'],
    debianPackages: ['logrotate'],
  },
  softhsm: {
    variable: 'SOFTHSM_UTIL_PATH',
    purpose: 'is a PKCS#11 token that holds the master key',
    names: ['softhsm2-util'],
    // p11-kit serves the token to another process, as a network HSM does.
    debianPackages: ['softhsm2', 'p11-kit', 'p11-kit-modules'],
  },
  pgbouncer: {
    variable: 'PGBOUNCER_PATH',
    purpose: 'is a pooler before Postgres',
    names: ['pgbouncer'],
    debianPackages: ['pgbouncer'],
  },
};

/** The parts of the machine that `provideTool` reads and changes. A test passes a simulated one. */
export interface Machine {
  env: Readonly<Record<string, string | undefined>>;
  isExecutable(path: string): boolean;
  hasApt(): boolean;
  install(debianPackages: readonly string[]): boolean;
  say(line: string): void;
}

/**
 * The path of a tool, from the first of: its variable (such as `FFMPEG_PATH`), the machine's own binary, and,
 * on Debian as root, the package, which stays installed. Before it installs anything it reports what it installs, why, and how to avoid it.
 * `TEST_INSTALL=false` prevents it.
 *
 * @returns undefined if the tool cannot be provided
 */
export function provideTool(tool: Tool, machine: Machine = thisMachine): string | undefined {
  const { variable, purpose, debianPackages } = tools[tool];
  const found = findTool(tool, machine);
  if (found) return found;
  if (debianPackages && mayInstall(machine)) {
    machine.say(
      `This machine has no ${tool}, which ${purpose}. Running apt-get update and apt-get install ${debianPackages.join(' ')}. ` +
        `To avoid this, set ${variable} to the program, or ${installVariable}=false to install nothing.`,
    );
    const installed = machine.install(debianPackages) ? findOnPath(tool, machine) : undefined;
    if (installed) return installed;
  }
  machine.say(`There is no ${tool}: install it, or set ${variable} to its path.`);
  return undefined;
}

/** The machine's own tool, or undefined. Unlike `provideTool`, it installs nothing. */
export function findTool(tool: Tool, machine: Machine = thisMachine): string | undefined {
  const { variable } = tools[tool];
  const configured = machine.env[variable];
  if (configured && machine.isExecutable(configured)) return configured;
  if (configured) machine.say(`${variable} names ${configured}, which is not a program; looking elsewhere.`);
  return findOnPath(tool, machine);
}

function findOnPath(tool: Tool, { env, isExecutable }: Machine): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = tools[tool].names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => isExecutable(path));
}

const thisMachine: Machine = {
  env: process.env,
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  },
  hasApt,
  install: installPackages,
  say: (line) => process.stderr.write(`${line}\n`),
};
