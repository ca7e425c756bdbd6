import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that some tests and the demo need and that no package brings along. */
export type Tool = 'ffmpeg' | 'chromium' | 'firefox' | 'kubectl' | 'vlc' | 'mpv' | 'gstreamer' | 'swift';

interface ToolSource {
  /** The environment variable with its path. */
  readonly variable: string;
  readonly names: readonly string[];
  /** Undefined where Debian has none that is new enough. */
  readonly debianPackages: readonly string[] | undefined;
}

export const tools: Readonly<Record<Tool, ToolSource>> = {
  ffmpeg: { variable: 'FFMPEG_PATH', names: ['ffmpeg'], debianPackages: ['ffmpeg'] },
  chromium: {
    variable: 'CHROMIUM_PATH',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    debianPackages: ['chromium'],
  },
  firefox: { variable: 'FIREFOX_PATH', names: ['firefox-esr', 'firefox'], debianPackages: ['firefox-esr'] },
  // Debian 12 packages 1.20, which does not read what is written for current ones.
  kubectl: { variable: 'KUBECTL_PATH', names: ['kubectl'], debianPackages: undefined },
  // Without a window: the program and what decodes.
  vlc: { variable: 'VLC_PATH', names: ['cvlc', 'vlc'], debianPackages: ['vlc-bin', 'vlc-plugin-base'] },
  mpv: { variable: 'MPV_PATH', names: ['mpv'], debianPackages: ['mpv'] },
  gstreamer: {
    variable: 'GST_LAUNCH_PATH',
    names: ['gst-launch-1.0'],
    debianPackages: [
      'gstreamer1.0-tools',
      ...['base', 'good', 'bad', 'ugly'].map((set) => `gstreamer1.0-plugins-${set}`),
      'gstreamer1.0-libav',
    ],
  },
  // A store with an S3 interface that verifies signatures.
  swift: {
    variable: 'SWIFT_PATH',
    names: ['swift-proxy-server'],
    debianPackages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'],
  },
};

/** What `provideTool` needs to know of the machine and may do to it; a test gives its own. */
export interface Machine {
  env: Readonly<Record<string, string | undefined>>;
  isExecutable(path: string): boolean;
  /** Whether Debian packages can be installed: Debian or a child of it, as root. */
  hasApt(): boolean;
  /** Installs Debian packages; false where that failed. */
  install(debianPackages: readonly string[]): boolean;
  say(line: string): void;
}

/**
 * The path of a tool, from the first of: its variable (such as `FFMPEG_PATH`), the machine's own binary, and,
 * on Debian as root, the package, which is installed for good. What it does and what it lacks, it says.
 *
 * @returns undefined where there is no way to it
 */
export function provideTool(tool: Tool, machine: Machine = thisMachine): string | undefined {
  const { variable, debianPackages } = tools[tool];
  const found = findTool(tool, machine);
  if (found) return found;
  if (debianPackages && machine.hasApt()) {
    const packages = `Debian's package${debianPackages.length > 1 ? 's' : ''} ${debianPackages.join(', ')}`;
    machine.say(`There is no ${tool} on this machine: installing ${packages}.`);
    const installed = machine.install(debianPackages) ? findOnPath(tool, machine) : undefined;
    if (installed) return installed;
  }
  machine.say(`There is no ${tool}: install it, or set ${variable} to its path.`);
  return undefined;
}

/** As `provideTool`, for a tool that is not worth installing: what the machine has, or undefined without a word. */
export function findTool(tool: Tool, machine: Machine = thisMachine): string | undefined {
  const { variable } = tools[tool];
  const configured = machine.env[variable];
  if (configured && machine.isExecutable(configured)) return configured;
  if (configured) machine.say(`${variable} names ${configured}, which is no program; looking elsewhere.`);
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
  hasApt: () => existsSync('/etc/debian_version') && process.getuid?.() === 0,
  install: (packages) => apt('update') && apt('install', '-y', '--no-install-recommends', ...packages),
  say: (line) => process.stderr.write(`${line}\n`),
};

function apt(...args: string[]): boolean {
  // Waits two minutes for another run of apt on a machine that has just started.
  const done = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return done.status === 0;
}
