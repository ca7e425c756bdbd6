import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../processes/spawn-entry.ts';

/** Debian's places of the library. */
const libraries = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so'];
const pin = '1234';
const tokenLabel = 'latchkey';
const keyLabel = 'latchkey-1';
const startLimitMs = 20_000;

/** A token of SoftHSM in a folder of its own. */
export interface SoftToken {
  /** The variables of a process that uses the token. */
  env: Environment;
  remove(): void;
}

/** @param util the path of `softhsm2-util` */
export function createSoftToken(util: string, folder: string): SoftToken {
  const tokens = join(folder, 'tokens');
  mkdirSync(tokens, { recursive: true });
  const conf = join(folder, 'softhsm2.conf');
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  const env = { SOFTHSM2_CONF: conf };
  const init = ['--init-token', '--free', '--label', tokenLabel, '--pin', pin, '--so-pin', '5678'];
  execFileSync(util, init, { env: { ...process.env, ...env }, stdio: 'ignore' });
  return {
    env: {
      ...env,
      MASTER_KEY_PROVIDER: 'pkcs11',
      PKCS11_MODULE: libraries.find((path) => existsSync(path)) ?? '',
      PKCS11_TOKEN_LABEL: tokenLabel,
      PKCS11_KEY_LABEL: keyLabel,
      PKCS11_PIN: pin,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The token in a process of its own, which can be killed: what a network HSM is to a server. */
export interface ServedToken {
  /** The variables of a process that reaches the token through it. */
  env: Environment;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** p11-kit's library, by which a process uses a token of another one. */
const remoteLibrary = '/usr/lib/x86_64-linux-gnu/pkcs11/p11-kit-client.so';
export const canServeTokens = existsSync(remoteLibrary) && existsSync('/usr/bin/p11-kit');

export function serveToken(token: SoftToken, folder: string): ServedToken {
  const socket = join(folder, 'token.socket');
  const library = token.env.PKCS11_MODULE ?? '';
  let server: ReturnType<typeof spawn> | null = null;
  return {
    env: {
      ...token.env,
      PKCS11_MODULE: remoteLibrary,
      P11_KIT_SERVER_ADDRESS: `unix:path=${socket}`,
    },
    async start() {
      rmSync(socket, { force: true });
      const args = ['server', '-f', '-n', socket, '--provider', library, `pkcs11:token=${tokenLabel}`];
      server = spawn('/usr/bin/p11-kit', args, {
        env: { ...process.env, ...token.env },
        stdio: 'ignore',
        // It starts a process for each connection: all of the group are killed.
        detached: true,
      });
      const untilMs = Date.now() + startLimitMs;
      while (!existsSync(socket)) {
        if (Date.now() > untilMs) throw new Error('p11-kit did not start');
        await pause(20);
      }
    },
    async kill() {
      const ended = server;
      server = null;
      if (ended?.pid === undefined) return;
      const exit = new Promise((resolve) => ended.once('exit', resolve));
      process.kill(-ended.pid, 'SIGKILL');
      await exit;
    },
  };
}
