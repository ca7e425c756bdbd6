import { describe, expect, it } from 'vitest';
import type { StoreName } from './own-stores.ts';
import { type Provided, provideStores, type StoreMachine } from './provide-stores.ts';

const all: StoreName[] = ['Postgres', 'Redis', 'NATS'];

/** A machine on which `docker` can start these, `programs` are installed, and apt works or does not. */
function createMachine(options: {
  env?: Record<string, string>;
  docker?: StoreName[];
  programs?: StoreName[];
  apt?: 'works' | 'fails';
}) {
  const programs = new Set(options.programs);
  const said: string[] = [];
  const installed: string[] = [];
  const running = new Set<string>();
  const start = async (url: string): Promise<Provided> => {
    running.add(url);
    return { url, stop: async () => void running.delete(url) };
  };
  const machine: StoreMachine = {
    env: options.env ?? {},
    hasDocker: async () => options.docker !== undefined,
    startContainer: async (name) => {
      if (!options.docker?.includes(name)) throw new Error('no such image');
      return start(`container of ${name}`);
    },
    isInstalled: (name) => programs.has(name),
    startProgram: (name) => start(`program of ${name}`),
    hasApt: () => options.apt !== undefined,
    install: (packages) => {
      installed.push(...packages);
      if (options.apt === 'works') for (const name of all) programs.add(name);
      return options.apt === 'works';
    },
    say: (line) => void said.push(line),
  };
  return { machine, said, installed, running };
}

describe('a store is provided', () => {
  it('a store comes from the URL in its variable, without a start or a message', async () => {
    const env = { TEST_POSTGRES_URL: 'p', TEST_REDIS_URL: 'r', TEST_NATS_URL: 'n' };
    const { machine, said, running } = createMachine({ env, docker: all, programs: all });
    expect(await provideStores(all, machine)).toMatchObject({ variables: {}, missing: [] });
    expect([said, [...running]]).toEqual([[], []]);
  });

  it('a store is a container if Docker answers, and a program if its image is unavailable', async () => {
    const { machine, said } = createMachine({ docker: ['Postgres', 'Redis'], programs: all });
    expect((await provideStores(all, machine)).variables).toEqual({
      TEST_POSTGRES_URL: 'container of Postgres',
      TEST_REDIS_URL: 'container of Redis',
      TEST_NATS_URL: 'program of NATS',
    });
    expect(said).toEqual([expect.stringContaining('no such image')]);
  });

  it('a store without Docker and program is installed on Debian as root, after a message about what, why, and how to avoid it', async () => {
    const { machine, said, installed } = createMachine({ programs: ['Postgres'], apt: 'works' });
    expect((await provideStores(all, machine)).missing).toEqual([]);
    expect(installed).toEqual(['redis-server', 'nats-server']);
    expect(said).toEqual([
      'This run needs Redis, NATS, and neither Docker nor a program on this machine provides them. ' +
        'Running apt-get update and apt-get install redis-server nats-server. To avoid this, set TEST_REDIS_URL, ' +
        'TEST_NATS_URL, start Docker, or set TEST_INSTALL=false to install nothing: the tests that need them are then skipped.',
    ]);
  });

  it('TEST_INSTALL=false prevents the installation of a store, which is then missing', async () => {
    const { machine, installed } = createMachine({ apt: 'works', env: { TEST_INSTALL: 'false' } });
    expect((await provideStores(all, machine)).missing).toEqual(all);
    expect(installed).toEqual([]);
  });

  it.each([undefined, 'fails'] as const)(
    'a store is missing if apt is %s, and a message explains what would help',
    async (apt) => {
      const { machine, said } = createMachine({ programs: ['Redis'], ...(apt ? { apt } : {}) });
      const { missing, variables } = await provideStores(all, machine);
      expect([missing, variables]).toEqual([['Postgres', 'NATS'], { TEST_REDIS_URL: 'program of Redis' }]);
      expect(said.at(-1)).toBe('There is no NATS: set TEST_NATS_URL, start Docker, or install it.');
    },
  );
});
