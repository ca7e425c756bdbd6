// `node healthcheck.mjs [/ready]` sends a request to the process of this container, because the image has no shell and no curl.
// Exit code 0: it answered 2xx. 1: Docker and Compose show the container as unhealthy.
import http from 'node:http';
import https from 'node:https';
import image from './image.json' with { type: 'json' };

/** Longer than the 2 s for which `/ready` checks each dependency at most. */
const timeoutMs = 2_500;
const [path = '/health'] = process.argv.slice(2);

const fail = (reason) => {
  process.stderr.write(`${path}: ${reason}\n`);
  process.exit(1);
};
// What clients call speaks without TLS. A service shows a certificate for its name in the network, which this address is not.
const hasTls = Boolean(process.env.INTERNAL_TLS_CERT_FILE) && image.package !== '@latchkey/gateway';
const { get } = hasTls ? https : http;
const target = { host: '127.0.0.1', port: Number(process.env.PORT || image.port), path };
const request = get({ ...target, rejectUnauthorized: false }, (answer) => {
  if (answer.statusCode < 200 || answer.statusCode > 299) fail(`answered ${answer.statusCode}`);
  process.exit(0);
});
request.on('error', (error) => fail(error.code ?? error.message));
setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs).unref();
