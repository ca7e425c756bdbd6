import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Finds the Docker engine of the `docker` command, and names its place for the operator.
 *
 * @param dockerHost `DOCKER_HOST`: `unix:///path`, `tcp://host:port` or `ssh://host`; undefined is the current context
 * @throws Error if no engine answers, or if it runs on another machine, on whose loopback interface
 *   compose.yaml would publish its ports
 */
export async function findDockerEngine(
  dockerHost: string | undefined,
  readVersion = readServerVersion,
): Promise<string> {
  const where = dockerHost ? `DOCKER_HOST=${dockerHost}` : 'the current Docker context';
  // A URL without a special scheme keeps its host unchanged.
  if (dockerHost && !dockerHost.startsWith('unix:') && !isLoopback(new URL(dockerHost).hostname))
    throw new Error(
      `${where} is an engine on another machine. compose.yaml publishes its ports there, on 127.0.0.1, where the tests do not reach them.`,
    );
  const version = await readVersion().catch((error) => {
    throw new Error(
      `No Docker engine answers at ${where}: ${error instanceof Error ? error.message : error}`,
    );
  });
  return `Docker ${version} at ${where}`;
}

async function readServerVersion(): Promise<string> {
  return (await execute('docker', ['version', '--format', '{{.Server.Version}}'])).stdout.trim();
}
