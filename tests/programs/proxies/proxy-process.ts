import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { findFreePort } from '@latchkey/support/find-free-port';
import { afterAll } from 'vitest';
import { makeCertificate } from './certificate.ts';
import { configurationOf, fileNames, type ProxyKind } from './configuration.ts';
import { findProgram, type Program } from './programs.ts';

/** A start takes a fraction of a second, and more on a busy machine. */
const startTimeoutMs = 60_000;
const retryMs = 50;
/** For connections that are still open at SIGTERM. */
const stopTimeoutMs = 3_000;

/** A proxy that runs in front of one upstream. */
export interface ProxyProcess {
  httpPort: number;
  httpsPort: number;
  /** The certificate's text, for clients to trust. */
  certificate: string;
  /** Everything that it has logged so far. */
  logs(): string;
}

/**
 * Starts a proxy with its file of `docs/operate/deploy`, and stops it after the file's last test.
 *
 * @param change makes a change that the file describes; gets the text and the folder of the proxy
 */
export async function startProxy(
  kind: ProxyKind,
  upstreamUrl: string,
  change: (text: string, folder: string) => string = (text) => text,
): Promise<ProxyProcess> {
  const program = findProgram(kind.toLowerCase() as Program);
  const folder = makeFolder();
  const certificate = makeCertificate(folder.path);
  // None of the proxies reports which port it took for 0.
  const [httpPort, httpsPort, adminPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const places = { httpPort, httpsPort, adminPort, upstream: new URL(upstreamUrl).host };
  const file = join(folder.path, fileNames[kind]);
  const text = configurationOf(kind, { ...places, folder: folder.path, certificate });
  writeFileSync(file, change(text, folder.path));
  // The kernel ends it when the tests' process does, however that ends; `afterAll` is not run where a filter leaves no test.
  const untilTestsEnd = ['--pdeathsig', 'TERM', '--', program];
  const child = spawn('setpriv', [...untilTestsEnd, ...commandLine(kind, file, folder.path)], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  afterAll(async () => {
    await stop(child);
    folder.remove();
  });
  await listens(child, httpsPort, () => `${kind} did not start. It wrote:\n${output.stdout}${output.stderr}`);
  // nginx writes files.
  const files = ['access.log', 'error.log'].map((name) => join(folder.path, name));
  const logs = () =>
    files
      .filter(existsSync)
      .map((name) => readFileSync(name, 'utf8'))
      .concat(output.stdout, output.stderr)
      .join('');
  return { httpPort, httpsPort, certificate: certificate.pem, logs };
}

function commandLine(kind: ProxyKind, file: string, folder: string): string[] {
  if (kind === 'nginx') return ['-p', folder, '-c', file, '-g', 'daemon off;'];
  if (kind === 'Caddy') return ['run', '--config', file, '--adapter', 'caddyfile'];
  return ['-db', '-f', file];
}

async function listens(child: ChildProcess, port: number, problem: () => string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  let failed = false;
  child.once('error', () => {
    failed = true;
  });
  while (!(await accepts(port))) {
    if (failed || child.exitCode !== null || performance.now() > endMs) throw new Error(problem());
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
