import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import { makeServerFolder, startServerProgram } from '@latchkey/support/stores/server-program';
import { type Subject, tokenSecret } from '../servers.ts';

/** Where Debian's package libnginx-mod-http-js puts it. */
const usualModule = '/usr/lib/nginx/modules/ngx_http_js_module.so';

/**
 * nginx as one process, with a key server in njs and an access log like Latchkey's.
 *
 * @returns null where nginx or its module for JavaScript is missing: the other servers are compared without it
 */
export async function startNginxPeer(name: string, misses: (part: string) => void): Promise<Subject | null> {
  const module = process.env.NJS_MODULE ?? usualModule;
  const program = process.env.NGINX_PATH ?? '/usr/sbin/nginx';
  if (!existsSync(module) || !existsSync(program)) {
    misses(`${name}: install nginx and libnginx-mod-http-js, or set NGINX_PATH and NJS_MODULE`);
    return null;
  }
  const port = await findFreePort();
  const folder = makeServerFolder();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configuration({ module, folder, port }));
  const url = `http://127.0.0.1:${port}`;
  const server = await startServerProgram({
    program: 'env',
    args: [`TOKEN_SECRET=${tokenSecret}`, program, '-c', config, '-p', folder],
    port,
    folder,
    url,
    readyLine: /start worker process|using the "epoll" event method/,
    endSignal: 'QUIT',
    removesFolder: true,
  });
  return { name, url, pid: server.pid, stop: server.stop };
}

function configuration({ module, folder, port }: { module: string; folder: string; port: number }): string {
  return `load_module ${module};
env TOKEN_SECRET;
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
  js_path ${import.meta.dirname};
  js_import keys from nginx-keys.js;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  log_format line escape=json '{"time":"$time_iso8601","requestId":"$request_id","method":"$request_method","path":"$uri","status":$status,"durationMs":$request_time,"clientIp":"$remote_addr","userAgent":"$http_user_agent"}';
  access_log ${folder}/access.log line;
  keepalive_timeout 72s;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port};
    location /keys/ {
      add_header X-Request-Id $request_id;
      js_content keys.serve;
    }
  }
}
`;
}
