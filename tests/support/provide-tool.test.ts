import { describe, expect, it } from 'vitest';
import { findTool, type Machine, provideTool } from './provide-tool.ts';

/** A machine with these programs, which `install` adds to. */
function createMachine(options: {
  programs?: string[];
  env?: Record<string, string>;
  apt?: 'works' | 'fails';
}) {
  const programs = new Set(options.programs);
  const installed: string[] = [];
  const said: string[] = [];
  const machine: Machine = {
    env: { PATH: '/usr/local/bin:/usr/bin', ...options.env },
    isExecutable: (path) => programs.has(path),
    hasApt: () => options.apt !== undefined,
    install(debianPackages) {
      installed.push(...debianPackages);
      // Of several packages, one brings the program.
      const program = debianPackages[0] === 'vlc-bin' ? 'cvlc' : debianPackages[0];
      if (options.apt === 'works') programs.add(`/usr/bin/${program}`);
      return options.apt === 'works';
    },
    say: (line) => said.push(line),
  };
  return { machine, installed, said };
}

describe('a tool is provided', () => {
  it('a tool comes from the machine, with a message, if its variable names no program', () => {
    const { machine, said } = createMachine({
      programs: ['/usr/bin/ffmpeg'],
      env: { FFMPEG_PATH: '/nowhere' },
    });
    expect(provideTool('ffmpeg', machine)).toBe('/usr/bin/ffmpeg');
    expect(said).toEqual([expect.stringContaining('/nowhere')]);
  });

  it('a tool is installed on Debian as root, after a message about what, why, and how to avoid it', () => {
    const { machine, installed, said } = createMachine({ apt: 'works' });
    expect(provideTool('chromium', machine)).toBe('/usr/bin/chromium');
    expect(installed).toEqual(['chromium', 'chromium-headless-shell']);
    expect(said).toEqual([
      'This machine has no chromium, which runs the dashboard and the players in tests. ' +
        'Running apt-get update and apt-get install chromium chromium-headless-shell. ' +
        'To avoid this, set CHROMIUM_PATH to the program, or TEST_INSTALL=false to install nothing.',
    ]);
  });

  it('TEST_INSTALL=false prevents the installation of a tool', () => {
    const { machine, installed, said } = createMachine({ apt: 'works', env: { TEST_INSTALL: 'false' } });
    expect(provideTool('ffmpeg', machine)).toBeUndefined();
    expect(installed).toEqual([]);
    expect(said).toEqual(['There is no ffmpeg: install it, or set FFMPEG_PATH to its path.']);
  });
});

it('an optional tool is taken from the machine and never installed', () => {
  const { machine, installed, said } = createMachine({ apt: 'works' });
  expect(findTool('mpv', machine)).toBeUndefined();
  expect(findTool('mpv', createMachine({ programs: ['/usr/bin/mpv'] }).machine)).toBe('/usr/bin/mpv');
  expect({ installed, said }).toEqual({ installed: [], said: [] });
});
