import { expect, it } from 'vitest';
import { findDockerEngine } from './docker-engine.ts';

const answers = async () => '28.2';

it.each([
  ['unix:///var/run/docker.sock', 'DOCKER_HOST=unix:///var/run/docker.sock'],
  ['tcp://localhost:2375', 'DOCKER_HOST=tcp://localhost:2375'],
  ['tcp://[::1]:2375', 'DOCKER_HOST=tcp://[::1]:2375'],
  ['', 'the current Docker context'],
  [undefined, 'the current Docker context'],
])('the engine of this machine at DOCKER_HOST=%s is taken, and named', async (dockerHost, where) => {
  expect(await findDockerEngine(dockerHost, answers)).toBe(`Docker 28.2 at ${where}`);
});

it.each(['tcp://build.example:2376', 'ssh://root@192.0.2.7', 'tcp://127.evil.example:1'])(
  'DOCKER_HOST=%s is refused, because the ports that are published there cannot be reached from here',
  async (dockerHost) => {
    await expect(findDockerEngine(dockerHost, answers)).rejects.toThrow(
      `DOCKER_HOST=${dockerHost} is an engine`,
    );
  },
);

it('an engine that does not answer is reported with the address that was tried', async () => {
  const fails = () => Promise.reject(new Error('permission denied'));
  await expect(findDockerEngine('unix:///nowhere.sock', fails)).rejects.toThrow(
    'No Docker engine answers at DOCKER_HOST=unix:///nowhere.sock: permission denied',
  );
});
