import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';

const startLimitMs = 20_000;

export interface RunningNginx {
  url: string;
  stop(): Promise<void>;
}

interface NginxOptions {
  modulePath: string;
  folder: string;
  /** Of its server of HTTP: the configuration of a document, with its own addresses. */
  location: string;
  /** Further blocks, such as `rtmp`. */
  blocks?: string;
}

/** Starts nginx with a module: nginx-vod-module, which encrypts the files of a folder on the fly, or nginx-rtmp-module. */
export async function startNginx(
  program: string,
  { modulePath, folder, location, blocks = '' }: NginxOptions,
): Promise<RunningNginx> {
  const port = await findFreePort();
  const prefix = join(folder, 'nginx');
  mkdirSync(join(prefix, 'logs'), { recursive: true });
  const configuration = `
load_module ${modulePath};
daemon off;
master_process off;
pid ${prefix}/nginx.pid;
error_log stderr warn;
events {}
${blocks}
http {
  access_log off;
  client_body_temp_path ${prefix}/body;
  proxy_temp_path ${prefix}/proxy;
  fastcgi_temp_path ${prefix}/fastcgi;
  uwsgi_temp_path ${prefix}/uwsgi;
  scgi_temp_path ${prefix}/scgi;
  server {
    listen 127.0.0.1:${port};
${location}
  }
}
`;
  const file = join(prefix, 'nginx.conf');
  writeFileSync(file, configuration);
  const nginx = spawn(program, ['-p', prefix, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  nginx.stderr.on('data', (text) => {
    said += text;
  });
  const url = `http://127.0.0.1:${port}`;
  const untilMs = Date.now() + startLimitMs;
  for (;;) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (nginx.exitCode !== null || Date.now() > untilMs) throw new Error(`nginx did not start: ${said}`);
    await pause(20);
  }
  return {
    url,
    async stop() {
      const exit = new Promise((resolve) => nginx.once('exit', resolve));
      nginx.kill('SIGTERM');
      await exit;
    },
  };
}
