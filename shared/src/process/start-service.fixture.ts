import { onTestFinished, vi } from 'vitest';
import { internalVariables, observabilityVariables, processVariables } from '../config/index.ts';
import { FakeProcess } from './fake-process.fixture.ts';
import { runService, type ServiceContext } from './index.ts';

export const settings = {
  ...processVariables(4199),
  ...internalVariables,
  ...observabilityVariables('127.0.0.1'),
};

interface Started {
  env: Record<string, string>;
  /** The service opens for requests once this succeeds. */
  prepare?: () => Promise<void>;
  /** Its process id, or whether it has a terminal. */
  as?: Partial<Pick<FakeProcess, 'pid' | 'stdin'>>;
  /** Called while it starts: its configuration was read, and it does not listen yet. */
  onMount?: (context: ServiceContext<typeof settings>, process: FakeProcess) => void;
}

/** A service with the route `/things`, which listens until the end of the test. */
export async function startService({ env, prepare = async () => {}, as = {}, onMount }: Started) {
  const process = Object.assign(new FakeProcess(), as);
  const ended = runService(
    {
      name: 'things',
      version: '1.2.3',
      settings,
      async mount(context) {
        onMount?.(context, process);
        context.app.get('/things', { config: { access: 'open' } }, async () => ({ things: [] }));
        return prepare;
      },
    },
    process as unknown as NodeJS.Process,
    { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', METRICS_HOST: '127.0.0.1', ...env },
  );
  onTestFinished(async () => {
    // A process ends by the real time, also after a test that has stopped it.
    vi.useRealTimers();
    process.emit('SIGINT');
    await process.exited;
  });
  const [, port] = await process.says(/listens on 127\.0\.0\.1:(\d+)/);
  return { process, ended, url: `http://127.0.0.1:${port}` };
}
